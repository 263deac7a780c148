// Purchased services as the store keeps them: what the provider last said of each.

/** Null where the provider gave no value. Times in ms. */
export interface ServiceObservation {
  readonly id: string;
  readonly name: string | null;
  readonly productType: string | null;
  readonly protocol: string | null;
  readonly status: string | null;
  readonly countryId: string | null;
  /** `<count>:<interval>` */
  readonly cycle: string | null;
  readonly quantity: number | null;
  /** In the provider's unit of money. */
  readonly price: number | null;
  readonly isPaused: boolean | null;
  readonly isPendingCancellation: boolean | null;
  readonly isAutomaticCollection: boolean | null;
  readonly hasOpenInvoice: boolean;
  /** Null where an older version stored it. */
  readonly hasPaymentMethod: boolean | null;
  readonly expiresAt: number | null;
  readonly earliestCancellationAt: number | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly dispatchedAt: number | null;
  readonly isReconfigurable: boolean | null;
  readonly promotionalCode: string | null;
  readonly subscriptionId: string | null;
  readonly subscriptionScheduleId: string | null;
  readonly lineItems: readonly StoredLineItem[];
  /** Proxies by status; null where they could not be counted, which changes nothing. */
  readonly proxies: Readonly<Record<string, number>> | null;
}

/** What was bought of one location; the id is empty where it was not given, and so is the country. */
export interface StoredLineItem {
  readonly id: string;
  readonly countryId: string;
  readonly quantity: number;
}

export interface StoredService extends ServiceObservation {
  readonly answeredAt: number;
}

/** How asking for a service went the last time; the service may never have been there. */
export interface ServiceAttempt {
  readonly id: string;
  readonly askedAt: number;
  /** Null where it has never answered. */
  readonly answeredAt: number | null;
  /** Answers in a row that it is not there. */
  readonly notFound: number;
  readonly status: string | null;
  readonly expiresAt: number | null;
}

/** Answers in a row that a service is not there until it is gone. */
export const NOT_FOUND_WHEN_GONE = 2;

export interface ServiceStore {
  /** Ids of services that the inventory and the ledger name, those used last first. */
  named(account: string, limit: number): Promise<string[]>;
  /** Of every service that was ever asked for. */
  attempts(account: string): Promise<ServiceAttempt[]>;
  save(account: string, service: ServiceObservation, now: number): Promise<void>;
  /** Takes note that the service is not there; what is known of it stays until it is gone. */
  saveNotFound(account: string, id: string, now: number): Promise<void>;
  /** Those that have answered and are not gone, by id. */
  services(account: string): Promise<StoredService[]>;
}
