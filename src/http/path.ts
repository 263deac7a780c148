// The part of a request's URL that may be logged: query strings are the client's business.

export const pathOf = (url: string): string => url.replace(/\?.*$/s, '');
