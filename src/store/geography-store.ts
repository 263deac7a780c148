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
  readonly details: PlaceDetails;
}

/** What a place's kind has beside; null where the provider gave no value. */
export interface PlaceDetails {
  readonly alias?: string | null;
  readonly countryId?: string | null;
  readonly subdivisionId?: string | null;
  /** Of a network, such as `hosting`, and the registry that it is of. */
  readonly asnType?: string | null;
  readonly rir?: string | null;
  readonly examplePostcode?: string | null;
  readonly isPopulous?: boolean | null;
  /** Degrees, north and east above 0. */
  readonly latitude?: number | null;
  readonly longitude?: number | null;
  readonly population?: number | null;
  readonly timeZone?: string | null;
}

export interface GeographyStore {
  /** Forgets all places but these, and the continents where `continents` is true. */
  retain(account: string, places: readonly PlaceKey[], continents: boolean): Promise<void>;
  /** Stores what was answered, and that these places were not there, in one transaction: twice in a row, and they are gone. */
  save(account: string, places: readonly Place[], missing: readonly PlaceKey[]): Promise<void>;
  /** Those that are not gone, by kind and id. */
  places(account: string): Promise<Place[]>;
}
