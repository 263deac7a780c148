// Limits the length of answers by what each endpoint can need, so that no answer can use up the memory.

const KB = 1_000;
const MB = 1_000 * KB;

/**
 * The limits of endpoints whose answers may be long. A documented item has at most 1.5 kB, without its lists. Each limit
 * is for a page of 100 items, or for a whole answer if the endpoint has no pages.
 */
const LIMITS: Readonly<Record<string, number>> = {
  // A user lists the proxies to which it is restricted, at 39 bytes each: 2,000 per user.
  'proxy_user/search': 8 * MB,
  // A proxy lists its users: 4,000 per proxy.
  'proxy/search': 8 * MB,
  // One answer has the service with all its proxies: 10,000. A listing has so many of all its services.
  'service/retrieve': 16 * MB,
  'service/search': 16 * MB,
  // One answer has all products at 300 bytes each: 4 types in 250 countries, with 4 protocols each.
  'checkout/catalog': 4 * MB,
};

/** More than all other answers need: 100 items of the ledger or of a list of places, one proxy, or one quote. */
const OTHER_LIMIT = MB;

/** An answer with an error needs a sentence. Some servers in front of the provider answer with whole pages. */
export const ERROR_LIMIT = 64 * KB;

/** A documented bucket has 350 bytes. Some are left for fields that the documentation does not have. */
const BUCKET_BYTES = 2 * KB;
/** A documented test result has 1.2 kB, of which the tested URL may be the longest part. */
const TEST_RESULT_BYTES = 4 * KB;
/** How many tester servers the provider may have, if a call does not name them. */
const MOST_TESTERS = 50;

/** Returns the most bytes that an answer of the endpoint can need if its length does not depend on the request. */
export const answerLimit = (endpoint: string): number => LIMITS[endpoint] ?? OTHER_LIMIT;

export const graphLimit = (buckets: number): number => inWholeMegabytes(buckets * BUCKET_BYTES);

/** Returns the most bytes that the results of a test call can need. `testers` is 0 if the call uses all of them. */
export const testRunLimit = (proxies: number, urls: number, testers: number): number =>
  inWholeMegabytes(proxies * urls * (testers || MOST_TESTERS) * TEST_RESULT_BYTES);

/** Rounds up, so that errors can name the limit. */
const inWholeMegabytes = (bytes: number): number => Math.max(OTHER_LIMIT, Math.ceil(bytes / MB) * MB);
