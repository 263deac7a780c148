// Returns the part of a request's URL that may be logged: the path, because query strings may hold private data.

export const pathOf = (url: string): string => url.replace(/\?.*$/s, '');
