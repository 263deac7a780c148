// Writes times for people, in UTC. All times are in milliseconds since the epoch.

/** To the minute, such as `2026-07-06 12:01 UTC`. */
export const minuteText = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** To the second, such as `2026-07-06T12:01:30Z`. */
export const secondText = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
