// When values of a proxy user lapsed.

export const LAPSES = `
ALTER TABLE proxy_user ADD COLUMN residential_limit_lapsed_at INTEGER;
ALTER TABLE proxy_user ADD COLUMN residential_used_lapsed_at INTEGER;
ALTER TABLE proxy_user ADD COLUMN mobile_limit_lapsed_at INTEGER;
ALTER TABLE proxy_user ADD COLUMN mobile_used_lapsed_at INTEGER;
`;
