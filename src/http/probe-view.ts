// Defines the interface through which the HTTP server probes a proxy on request.

export interface ProbeView {
  /** Probes a configured proxy at a configured target now, or answers with the result of the last 30 seconds. */
  probe(request: ProbeOnRequest): Promise<ProbeAnswer>;
}

export interface ProbeOnRequest {
  /** Undefined if the request names no account, which is enough if only one account has probes. */
  readonly account: string | undefined;
  /** The label `proxy_id` of the proxy. */
  readonly proxy: string;
  /** The label `url` of the target. */
  readonly url: string;
  /** How long the client waits for the answer (ms); undefined if it does not say. */
  readonly waitsMs?: number | undefined;
}

export type ProbeAnswer = ProbeText | ProbeMistake | ProbeRefusal;

/** The result in the text format of Prometheus, also if the probe failed. */
export interface ProbeText {
  readonly contentType: string;
  readonly text: string;
}

/** The account, proxy or target is not configured. */
export interface ProbeMistake {
  readonly mistake: string;
}

/** Too many probes run, or the byte budget is used up. */
export interface ProbeRefusal {
  readonly refusal: string;
  readonly retryAfterS: number;
}
