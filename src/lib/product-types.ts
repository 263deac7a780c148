// The types of proxies that are sold.

/** Those that the API's documentation names; answers may carry others, which pass through as they are. */
export const PRODUCT_TYPES = ['datacenter', 'isp', 'residential', 'mobile'] as const;
/** Product types that are sold by the byte, so that proxy users have limits for them. */
export const METERED_TYPES = ['residential', 'mobile'] as const;
export type MeteredType = (typeof METERED_TYPES)[number];
