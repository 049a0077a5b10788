import type { ServerResponse } from 'node:http';

/**
 * The sandbox's date, which can be moved forward: what is created gets it, and a site that asks follows it. Signatures,
 * redeliveries and timeouts go by the machine's time.
 */
export class SandboxClock {
  readonly #followers = new Set<ServerResponse>();
  readonly #machineNow: () => number;
  #offsetMs: number;

  /** @param startsAt where it stands at first; the machine's time when left out */
  constructor(machineNow: () => number, startsAt?: Date) {
    this.#machineNow = machineNow;
    this.#offsetMs = startsAt ? startsAt.getTime() - machineNow() : 0;
  }

  /** In milliseconds since the epoch. */
  now(): number {
    return this.#machineNow() + this.#offsetMs;
  }

  /**
   * Moves it to a later moment, and tells all who follow.
   * @throws {RangeError} for an earlier one: what was made already would then lie in the future
   */
  moveTo(moment: Date): void {
    // Written so that an invalid date is refused too.
    if (!(moment.getTime() >= this.now())) throw new RangeError('The clock moves forward only');
    this.#offsetMs = moment.getTime() - this.#machineNow();
    for (const follower of this.#followers) this.#tell(follower);
  }

  /** Tells a client now, and at each move, how far this clock is ahead of the machine's: a line of JSON each. */
  follow(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
    this.#followers.add(response);
    response.once('close', () => this.#followers.delete(response));
    this.#tell(response);
  }

  #tell(follower: ServerResponse): void {
    follower.write(`${JSON.stringify({ offsetMs: this.#offsetMs })}\n`);
  }
}
