// Reads how long the month is, how often its daemon polls, and which faults it draws.

const numberOf = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Another seed draws other faults. */
export const SEED = numberOf('MONTH_SEED', 20_260_714);
export const DAYS = numberOf('MONTH_DAYS', 30);
/** Multiplies the number of polls and of clients' requests: 1 or 2. */
export const POLLS = numberOf('MONTH_POLLS', 1);
