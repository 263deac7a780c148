// Decides from a proxy's status whether the proxy is in use.

/**
 * The statuses come from the provider's public documentation; the API's specification only shows `in_use`. The set is
 * open. An unknown status counts as in use, so that its proxies are not silently left out.
 */
const NOT_IN_USE: ReadonlySet<string | null> = new Set([
  'available',
  'reserved',
  'waiting',
  'pending_deletion',
]);

export const isInUse = (status: string | null): boolean => !NOT_IN_USE.has(status);
