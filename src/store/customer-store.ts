// Defines the store of what the provider last answered of the customer as a whole.

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
