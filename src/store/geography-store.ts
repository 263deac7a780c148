// Defines the store of places and networks, each as the provider last answered it.

export type PlaceKind = 'continent' | 'asn' | 'city' | 'subdivision';

export interface PlaceKey {
  readonly kind: PlaceKind;
  readonly id: string;
}

/** Values are null if the provider gave none, or has none for the kind. */
export interface Place extends PlaceKey {
  readonly name: string | null;
  /** Nodes that are online. */
  readonly nodes: number | null;
  readonly ipAddresses: number | null;
  readonly details: PlaceDetails;
}

/** Values that only some kinds of places have; null if the provider gave none. */
interface PlaceDetails {
  readonly alias?: string | null;
  readonly countryId?: string | null;
  readonly subdivisionId?: string | null;
  /** The type of a network, such as `hosting`, and its registry. */
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
  /** Deletes all other places. Continents are kept if `keepsContinents` is true. */
  retain(account: string, places: readonly PlaceKey[], keepsContinents: boolean): Promise<void>;
  /**
   * Stores answered places and counts missing ones, in one transaction. A place is removed when it is missing twice in
   * a row.
   */
  save(account: string, places: readonly Place[], missing: readonly PlaceKey[]): Promise<void>;
  /** Returns the places that are not removed, ordered by kind and id. */
  places(account: string): Promise<Place[]>;
}
