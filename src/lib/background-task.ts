// Runs work in the background, one run at a time. Requests during a run cause one more run after it.

export class BackgroundTask {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isRerunRequested = false;

  /** `work` must never reject. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Starts the work. If it is running, it runs once more afterwards. */
  start(): void {
    if (this.#running) this.#isRerunRequested = true;
    else this.#running = this.#run();
  }

  /** Resolves when the work has ended and no further run is requested. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      this.#isRerunRequested = false;
      await this.#work();
    } while (this.#isRerunRequested);
    this.#running = undefined;
  }
}
