// Adds values of places, products and services that no metric shows.

export const DETAILS = `
-- JSON of what the place's kind has.
ALTER TABLE place ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
-- JSON of a list; null where it is not known.
ALTER TABLE product ADD COLUMN cycles TEXT;
ALTER TABLE product ADD COLUMN is_per_ip INTEGER;
ALTER TABLE service ADD COLUMN created_at INTEGER;
ALTER TABLE service ADD COLUMN updated_at INTEGER;
ALTER TABLE service ADD COLUMN dispatched_at INTEGER;
ALTER TABLE service ADD COLUMN is_reconfigurable INTEGER;
ALTER TABLE service ADD COLUMN promotional_code TEXT;
ALTER TABLE service ADD COLUMN subscription_id TEXT;
ALTER TABLE service ADD COLUMN subscription_schedule_id TEXT;
`;
