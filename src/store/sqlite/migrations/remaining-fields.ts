// What else the provider says of what is stored already, for the API.

export const REMAINING_FIELDS = `
-- Times by the provider's clock.
ALTER TABLE ledger ADD COLUMN adjustment_id INTEGER;
ALTER TABLE ledger ADD COLUMN created_at INTEGER;
ALTER TABLE ledger ADD COLUMN updated_at INTEGER;
-- JSON; null where the answer was a refusal.
ALTER TABLE quote ADD COLUMN details TEXT;
`;
