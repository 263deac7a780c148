// Divides the account's traffic into slices: a filter selects product types and shares of them that add up exactly.

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

export const filterIn = (query: URLSearchParams): TrafficFilter => ({
  network: query.get('network') ?? undefined,
  hostname: query.get('hostname') ?? undefined,
  proxyUserId: query.get('proxy_user_id') ?? undefined,
  serviceId: query.get('service_id') ?? undefined,
});

/** The part of a whole between `low` and `high` in [0, 1]. Neighbours share a border, so the parts add up exactly. */
export interface Share {
  readonly low: number;
  readonly high: number;
}

export interface Slice {
  readonly type: ProductType;
  readonly shares: readonly Share[];
}

/** Returns the part of the integer `whole` that belongs to nested shares, as an integer. */
export const applyShares = (whole: number, shares: readonly Share[]): number => {
  let part = whole;
  for (const { low, high } of shares) part = Math.floor(part * high) - Math.floor(part * low);
  return part;
};

/** Maps filters to slices. A user, hostname or service that the account does not have has no slices. */
export class Slicer {
  readonly #users: Float64Array;
  readonly #hostnames: ReadonlyMap<string, Share>;
  readonly #services: ReadonlyMap<string, Slice>;

  constructor(scenario: Scenario) {
    this.#users = cumulativeBounds(userWeights(scenario));
    this.#hostnames = hostnameShares(scenario);
    this.#services = serviceSlices(scenario);
  }

  slices({ network, hostname, proxyUserId, serviceId }: TrafficFilter): Slice[] {
    const wanted = [
      ...(proxyUserId === undefined ? [] : [this.#shareOfUser(proxyUserId)]),
      ...(hostname === undefined ? [] : [this.#hostnames.get(hostname)]),
    ];
    const shares = wanted.filter((share) => share !== undefined);
    if (shares.length < wanted.length) return [];
    const whole =
      serviceId === undefined
        ? PRODUCT_TYPES.map((type): Slice => ({ type, shares: [] }))
        : [this.#services.get(serviceId)];
    return whole
      .filter((slice) => slice !== undefined)
      .filter(({ type }) => network === undefined || type === network)
      .map((slice) => ({ type: slice.type, shares: [...slice.shares, ...shares] }));
  }

  /** Returns the share of user `index` in every product type. */
  userShare(index: number): Share {
    return { low: this.#users[index] ?? 1, high: this.#users[index + 1] ?? 1 };
  }

  hostnameShare(name: string): Share {
    return this.#hostnames.get(name) ?? { low: 1, high: 1 };
  }

  #shareOfUser(id: string): Share | undefined {
    const index = userIndex(id, this.#users.length - 1);
    return index === undefined ? undefined : this.userShare(index);
  }
}

/** A few users use most of the traffic. Deleted users stopped before the history begins. */
const userWeights = ({ seed, users, deleted_user_ratio }: Scenario): number[] =>
  Array.from({ length: users }, (_, index) =>
    isDeletedUser(index, deleted_user_ratio) ? 0 : 0.2 + 5 * draw(mix(seed, hashText('weight')), index) ** 4,
  );

/** Spreads deleted users over the listing. The first user is the default one and is never deleted. */
export const isDeletedUser = (index: number, ratio: number): boolean =>
  index > 0 && (index * 0.7548776662) % 1 > 1 - ratio;

const hostnameShares = ({ seed, hostnames }: Scenario): Map<string, Share> => {
  const cuts = cumulativeBounds(
    hostnames.map((name) => 0.2 + draw(mix(seed, hashText('hostname')), hashText(name))),
  );
  return new Map(hostnames.map((name, i) => [name, { low: cuts[i] ?? 1, high: cuts[i + 1] ?? 1 }]));
};

const serviceSlices = (scenario: Scenario): Map<string, Slice> => {
  const allServices = services(scenario);
  return new Map(
    allServices.map(({ id, type }) => {
      const sameType = allServices.filter((service) => service.type === type);
      const position = sameType.findIndex((service) => service.id === id);
      return [
        id,
        { type, shares: [{ low: position / sameType.length, high: (position + 1) / sameType.length }] },
      ];
    }),
  );
};

/** Returns the borders between parts with the given weights, from exactly 0 to exactly 1. */
const cumulativeBounds = (weights: readonly number[]): Float64Array => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const cuts = new Float64Array(weights.length + 1);
  let sum = 0;
  for (const [i, weight] of weights.entries()) {
    sum += weight;
    cuts[i + 1] = i === weights.length - 1 ? 1 : sum / total;
  }
  return cuts;
};
