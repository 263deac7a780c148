// Defines the stores of what the provider last answered about the customer, and of its purchased services.

import type { Metadata } from '../lib/label-parts.ts';
import type { MeteredType } from '../lib/product-types.ts';

/** A value is null if the provider did not give it. */
export interface CustomerState {
  /** When the provider answered (ms). */
  readonly answeredAt: number;
  /** Store credit in cents. */
  readonly credit: number | null;
  readonly residentialLeftBytes: number | null;
  readonly mobileLeftBytes: number | null;
  readonly proxies: number | null;
  /** The most proxy users that the customer may have. */
  readonly userLimit: number | null;
  readonly isResidentialPaused: boolean | null;
  readonly isMobilePaused: boolean | null;
  readonly kycLevel: string | null;
  readonly isKycPending: boolean | null;
  readonly isTrialPending: boolean | null;
}

/** The sums of bytes of a product type. */
export interface StoredSummary {
  readonly productType: MeteredType;
  readonly answeredAt: number;
  readonly boughtBytes: number | null;
  readonly leftBytes: number | null;
  readonly usedBytes: number | null;
}

export interface CustomerStore {
  save(account: string, state: CustomerState): Promise<void>;
  saveSummary(account: string, summary: StoredSummary): Promise<void>;
  /** To be called when the account turns out to have no such services. */
  removeSummary(account: string, type: MeteredType): Promise<void>;
  state(account: string): Promise<CustomerState | undefined>;
  /** Ordered by product type. */
  summaries(account: string): Promise<StoredSummary[]>;
}

/** Values are null if the provider gave none. Times are in ms. */
export interface ServiceObservation {
  readonly id: string;
  readonly name: string | null;
  readonly productType: string | null;
  readonly protocol: string | null;
  readonly status: string | null;
  readonly countryId: string | null;
  /** The billing cycle, `<count>:<interval>`. */
  readonly cycle: string | null;
  readonly quantity: number | null;
  /** The price in the provider's unit of money. */
  readonly price: number | null;
  readonly isPaused: boolean | null;
  readonly isPendingCancellation: boolean | null;
  readonly isAutomaticCollection: boolean | null;
  readonly hasOpenInvoice: boolean;
  /** Null if an older version stored the service. */
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
  /** Number of proxies by status; null if they could not be counted, and then the stored numbers stay. */
  readonly proxies: Readonly<Record<string, number>> | null;
  /** The keys of the metadata that the configuration lists. */
  readonly metadata?: Metadata | null;
}

/** The quantity bought for one location. Id and country are empty if they were not given. */
export interface StoredLineItem {
  readonly id: string;
  readonly countryId: string;
  readonly quantity: number;
}

export interface StoredService extends ServiceObservation {
  readonly answeredAt: number;
}

/** The result of the last request for a service, which may never have existed. */
export interface ServiceAttempt extends Pick<ServiceObservation, 'id' | 'status' | 'expiresAt'> {
  readonly askedAt: number;
  /** Null if the service has never been returned. */
  readonly answeredAt: number | null;
  /** Answers in a row that the service does not exist. */
  readonly notFoundAnswers: number;
}

/** A service is removed when this many answers in a row say that it does not exist. */
export const NOT_FOUND_ANSWERS_UNTIL_REMOVED = 2;

export interface ServiceStore {
  /** Returns ids of services that the inventory and the ledger name, the most recently used first. */
  referencedIds(account: string, limit: number): Promise<string[]>;
  /** Returns the last request of each stored service. */
  attempts(account: string): Promise<ServiceAttempt[]>;
  save(account: string, service: ServiceObservation, now: number): Promise<void>;
  /** Counts an answer that the service does not exist. Its stored values stay until it is removed. */
  saveNotFound(account: string, id: string, now: number): Promise<void>;
  /** Returns the services that were returned once and are not removed, ordered by id. */
  services(account: string): Promise<StoredService[]>;
}
