// Lists the words of the provider's documentation that settings take. Every list is open: the provider may have more.

import { PRODUCT_TYPES } from '../lib/product-types.ts';

/** A kind of words, with the singular that messages use. */
export interface Vocabulary {
  readonly name: string;
  readonly has: (word: string) => boolean;
  /** The words that a message names or suggests; not given if there are too many. */
  readonly words?: readonly string[];
  /** Describes the form of the words, for a word without a suggestion. */
  readonly form?: string;
  /** Returns the documented word that is meant by another one, such as `gb` by `UK`. */
  readonly translate?: (word: string) => string | undefined;
}

/** Returns the words of a text, with space between them. */
export const wordsIn = (text: string): string[] => text.trim().split(/\s+/);

export const vocabulary = (name: string, listed: string | readonly string[]): Vocabulary => {
  const words = typeof listed === 'string' ? wordsIn(listed) : listed;
  return {
    ...{ name, words },
    has: (word) => words.includes(word),
    translate: (word) => words.find((known) => known === word.toLowerCase()),
  };
};

export const PRODUCT_TYPE_WORDS = vocabulary('product type', PRODUCT_TYPES);

export const PROTOCOL_WORDS = vocabulary('protocol', 'ipv4 ipv6 dual');

export const LEDGER_REASON_WORDS = vocabulary(
  'reason',
  'usage top_up adjustment service_purchase overage_adjustment',
);

export const PROXY_STATUS_WORDS = vocabulary(
  'proxy status',
  'available in_use reserved waiting pending_deletion',
);

/** The fields of a proxy, which are also the filters of a search for proxies. */
const PROXY_FIELDS = wordsIn(`
  proxy_id proxy_type proxy_protocol proxy_status proxy_ip_address proxy_ip_address_v6 ip_address_id_v4
  ip_address_id_v6 proxy_http_port proxy_socks5_port proxy_last_update_datetime proxy_user_id customer_id
  service_id service_line_item_id asn_id asn_name city_id city_name city_timezone country_id country_name
  subdivision_id subdivision_name subnet_id subnet_id_v6`);
const OPERATOR = /^(min|max|like|not)_/;

export const PROXY_FILTER_WORDS: Vocabulary = {
  ...vocabulary('filter of proxies', PROXY_FIELDS),
  has: (word) => PROXY_FIELDS.includes(word.replace(OPERATOR, '')),
};

/** ISO 3166-1 alpha-2, and xk (Kosovo), which the standard leaves to its users. The provider writes them in lower case. */
const COUNTRY_CODES = wordsIn(
  'ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw xk',
);

/** The names take 6 MB of memory, so they are loaded for the first unknown word. */
let regionNames: Intl.DisplayNames | undefined;

const englishNameOf = (code: string): string | undefined => {
  regionNames ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  return regionNames.of(code.toUpperCase())?.toLowerCase();
};

/** Returns the code of a country that is written in capitals, as an old code such as UK, or as its English name. */
const countryCodeOf = (word: string): string | undefined => {
  const lower = word.toLowerCase();
  if (COUNTRY_CODES.includes(lower)) return lower;
  const current = /^[a-z]{2}$/.test(lower) ? canonicalRegionOf(lower) : undefined;
  if (current !== undefined && COUNTRY_CODES.includes(current)) return current;
  return COUNTRY_CODES.find((code) => englishNameOf(code) === lower);
};

const canonicalRegionOf = (code: string): string | undefined =>
  new Intl.Locale(`und-${code}`).region?.toLowerCase();

export const COUNTRY_WORDS: Vocabulary = {
  name: 'country code',
  form: 'two lower-case letters of ISO 3166-1, such as gb',
  has: (word) => COUNTRY_CODES.includes(word),
  translate: countryCodeOf,
};

/** Ids of subdivisions begin with the code of their country, such as `fr-idf`. */
export const SUBDIVISION_WORDS: Vocabulary = {
  name: 'subdivision id',
  form: 'the code of the country, a hyphen and the code of the subdivision, such as fr-idf',
  has: (word) => COUNTRY_CODES.includes(/^([a-z]{2})-[a-z0-9]+$/.exec(word)?.[1] ?? ''),
  translate: (word) => {
    const lower = word.toLowerCase().replace('_', '-');
    return SUBDIVISION_WORDS.has(lower) ? lower : undefined;
  },
};

/** The vocabulary of the values of a filter of proxies; undefined if any value may be right. */
export const proxyFilterValueWords = (filter: string): Vocabulary | undefined =>
  FILTER_VALUES[filter.replace(/^not_/, '')];

const FILTER_VALUES: Readonly<Record<string, Vocabulary>> = {
  proxy_type: PRODUCT_TYPE_WORDS,
  proxy_protocol: PROTOCOL_WORDS,
  proxy_status: PROXY_STATUS_WORDS,
  country_id: COUNTRY_WORDS,
  subdivision_id: SUBDIVISION_WORDS,
};
