// Adds the reason of a fault.

export const FAULT_REASONS = `
-- In words; empty until the next round of tests where the fault stood already.
ALTER TABLE fault ADD COLUMN reason TEXT NOT NULL DEFAULT '';
`;
