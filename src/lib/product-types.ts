// Lists the product types of proxies.

/** The types in the API's documentation. Answers may have other types, which proxywatch passes through unchanged. */
export const PRODUCT_TYPES = ['datacenter', 'isp', 'residential', 'mobile'] as const;
/** The types that are sold by the byte, so that proxy users have limits for them. */
export const METERED_TYPES = ['residential', 'mobile'] as const;
export type MeteredType = (typeof METERED_TYPES)[number];

export const isMetered = (type: string): type is MeteredType =>
  METERED_TYPES.some((metered) => metered === type);
