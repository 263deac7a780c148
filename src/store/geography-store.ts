// Places and networks as the store keeps them: what the provider last said of each.

export type PlaceKind = 'continent' | 'asn' | 'city' | 'subdivision';

export interface PlaceKey {
  readonly kind: PlaceKind;
  readonly id: string;
}

/** Null where the provider gave no value, or has none for its kind. */
export interface Place extends PlaceKey {
  readonly name: string | null;
  /** Online. */
  readonly nodes: number | null;
  readonly ipAddresses: number | null;
}

export interface GeographyStore {
  /** Forgets all places but these, and the continents where `continents` is true. */
  retain(account: string, places: readonly PlaceKey[], continents: boolean): Promise<void>;
  /** Stores what was answered, and that these places were not there, in one transaction: twice in a row, and they are gone. */
  save(account: string, places: readonly Place[], missing: readonly PlaceKey[]): Promise<void>;
  /** Those that are not gone, by kind and id. */
  places(account: string): Promise<Place[]>;
}
