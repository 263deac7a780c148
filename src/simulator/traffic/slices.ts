// Slices of the traffic: a filter is the product types it leaves and a share of each, cut so that shares add up.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { type ProductType, services, userIndex } from '../identities.ts';
import { draw, hashText, mix } from '../random.ts';
import type { Scenario } from '../scenario.ts';

/** Undefined fields do not filter. */
export interface TrafficFilter {
  readonly network?: string | undefined;
  readonly hostname?: string | undefined;
  readonly proxyUserId?: string | undefined;
  readonly serviceId?: string | undefined;
}

/** A part of the whole, from `low` to `high` of [0, 1]: neighbours share a border, so parts add up exactly. */
export interface Share {
  readonly low: number;
  readonly high: number;
}

export interface Slice {
  readonly type: ProductType;
  readonly shares: readonly Share[];
}

/** The integer part of `whole` that falls to nested shares. */
export const partOf = (whole: number, shares: readonly Share[]): number => {
  let part = whole;
  for (const { low, high } of shares) part = Math.floor(part * high) - Math.floor(part * low);
  return part;
};

/** Cuts the account's traffic; who is not in the account has no slices. */
export class Slicer {
  readonly #users: Float64Array;
  readonly #hostnames: ReadonlyMap<string, Share>;
  readonly #services: ReadonlyMap<string, Slice>;

  constructor(scenario: Scenario) {
    this.#users = borders(userWeights(scenario));
    this.#hostnames = hostnameShares(scenario);
    this.#services = serviceSlices(scenario);
  }

  slices({ network, hostname, proxyUserId, serviceId }: TrafficFilter): Slice[] {
    const shares: Share[] = [];
    for (const share of [this.#userShare(proxyUserId), this.#hostnameShare(hostname)]) {
      if (share === 'none') return [];
      if (share !== 'all') shares.push(share);
    }
    const whole = serviceId === undefined ? PRODUCT_TYPES.map(wholeType) : [this.#services.get(serviceId)];
    return whole
      .filter((slice) => slice !== undefined)
      .filter(({ type }) => network === undefined || type === network)
      .map((slice) => ({ type: slice.type, shares: [...slice.shares, ...shares] }));
  }

  /** Share of user `index` in every product type. */
  userShare(index: number): Share {
    return { low: this.#users[index] ?? 1, high: this.#users[index + 1] ?? 1 };
  }

  #userShare(id: string | undefined): Share | 'all' | 'none' {
    if (id === undefined) return 'all';
    const index = userIndex(id, this.#users.length - 1);
    return index === undefined ? 'none' : this.userShare(index);
  }

  #hostnameShare(hostname: string | undefined): Share | 'all' | 'none' {
    return hostname === undefined ? 'all' : (this.#hostnames.get(hostname) ?? 'none');
  }
}

const wholeType = (type: ProductType): Slice => ({ type, shares: [] });

/** A few users consume most; the deleted ones stopped before the history begins. */
const userWeights = ({ seed, users, deleted_user_ratio }: Scenario): number[] =>
  Array.from({ length: users }, (_, index) =>
    isDeletedUser(index, deleted_user_ratio) ? 0 : 0.2 + 5 * draw(mix(seed, hashText('weight')), index) ** 4,
  );

/** Deleted users are spread over the listing; the first, the default one, is never among them. */
export const isDeletedUser = (index: number, ratio: number): boolean =>
  index > 0 && (index * 0.7548776662) % 1 > 1 - ratio;

const hostnameShares = ({ seed, hostnames }: Scenario): Map<string, Share> => {
  const cuts = borders(hostnames.map((name) => 0.2 + draw(mix(seed, hashText('hostname')), hashText(name))));
  return new Map(hostnames.map((name, i) => [name, { low: cuts[i] ?? 1, high: cuts[i + 1] ?? 1 }]));
};

const serviceSlices = (scenario: Scenario): Map<string, Slice> => {
  const all = services(scenario);
  return new Map(
    all.map(({ id, type }) => {
      const alike = all.filter((service) => service.type === type);
      const place = alike.findIndex((service) => service.id === id);
      return [id, { type, shares: [{ low: place / alike.length, high: (place + 1) / alike.length }] }];
    }),
  );
};

/** The borders between parts of the given weights, from exactly 0 to exactly 1. */
const borders = (weights: readonly number[]): Float64Array => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const cuts = new Float64Array(weights.length + 1);
  let sum = 0;
  for (const [i, weight] of weights.entries()) {
    sum += weight;
    cuts[i + 1] = i === weights.length - 1 ? 1 : sum / total;
  }
  return cuts;
};
