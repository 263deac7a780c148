// Reads the labels of alerts in settings and requests that were written for an earlier version.

/** By former name. Service discovery adds a label `endpoint`, so no label of ours has this name. */
const CURRENT: Readonly<Record<string, string>> = { endpoint: 'api_endpoint' };

export const currentLabel = (name: string): string => CURRENT[name] ?? name;

/** Returns the subject of a silence or of a request, which is the value of a label, or `label=value`. */
export const currentSubject = (subject: string): string => subject.replace(/^\w+(?==)/, currentLabel);
