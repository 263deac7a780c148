// Adds the weekly usage profile, which existing rows begin to learn. Rates of users become bytes per hour, day and
// week: as whole numbers they take half the space, which the profile needs.

export const WEEK_RHYTHM = `
ALTER TABLE ledger_pace ADD COLUMN slot_bytes REAL;
ALTER TABLE ledger_pace ADD COLUMN profile BLOB;

ALTER TABLE proxy_user ADD COLUMN residential_slot_bytes INTEGER;
ALTER TABLE proxy_user ADD COLUMN residential_profile BLOB;
ALTER TABLE proxy_user ADD COLUMN mobile_slot_bytes INTEGER;
ALTER TABLE proxy_user ADD COLUMN mobile_profile BLOB;
UPDATE proxy_user SET
  residential_hour_rate = round(residential_hour_rate * 3600),
  residential_day_rate = round(residential_day_rate * 86400),
  residential_week_rate = round(residential_week_rate * 604800),
  mobile_hour_rate = round(mobile_hour_rate * 3600),
  mobile_day_rate = round(mobile_day_rate * 86400),
  mobile_week_rate = round(mobile_week_rate * 604800);
`;
