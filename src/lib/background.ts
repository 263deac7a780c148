// Work in the background, one at a time: whoever asks for it while it goes on has it done once more.

export class Background {
  readonly #work: () => Promise<void>;
  #going: Promise<void> | undefined;
  #isAskedAgain = false;

  /** `work` never rejects. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  start(): void {
    if (this.#going) this.#isAskedAgain = true;
    else this.#going = this.#run();
  }

  async idle(): Promise<void> {
    await this.#going;
  }

  async #run(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#work();
    } while (this.#isAskedAgain);
    this.#going = undefined;
  }
}
