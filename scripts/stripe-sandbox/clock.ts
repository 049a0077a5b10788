import type { ServerResponse } from 'node:http';

/** The source of the business time, in milliseconds since the epoch. */
export type Clock = { now: () => number };

/** Clients such as Node's fetch close a connection that is silent for five minutes. */
const BEAT_MS = 60_000;

/**
 * The sandbox's clock, which can be moved forward: new objects get its time, and a site may follow it.
 * Signatures, redeliveries and timeouts use the machine's time.
 */
export class SandboxClock implements Clock {
  readonly #followers = new Set<ServerResponse>();
  readonly #time: Clock;
  #offsetMs: number;
  readonly #beatMs: number;

  /**
   * @param time the clock on which it is based
   * @param startsAt its time at the start, instead of that of `time`
   * @param beatMs the longest silence on the stream to a follower
   */
  constructor(time: Clock, startsAt?: Date, beatMs = BEAT_MS) {
    this.#beatMs = beatMs;
    this.#time = time;
    this.#offsetMs = startsAt ? startsAt.getTime() - time.now() : 0;
  }

  now(): number {
    return this.#time.now() + this.#offsetMs;
  }

  /**
   * Moves the clock to a later moment, and notifies all followers.
   * @throws {RangeError} for an earlier moment: existing objects would then be dated in the future
   */
  moveTo(moment: Date): void {
    // Written so that an invalid date is refused too.
    if (!(moment.getTime() >= this.now())) throw new RangeError('The clock moves forward only');
    this.#offsetMs = moment.getTime() - this.#time.now();
    for (const follower of this.#followers) this.#tell(follower);
  }

  /**
   * Streams to a client how far this clock is ahead of the machine's: a line of JSON now and at each move.
   * Empty lines in between keep the connection open.
   */
  follow(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
    this.#followers.add(response);
    const beat = setInterval(() => response.write('\n'), this.#beatMs).unref();
    response.once('close', () => {
      clearInterval(beat);
      this.#followers.delete(response);
    });
    this.#tell(response);
  }

  #tell(follower: ServerResponse): void {
    follower.write(`${JSON.stringify({ offsetMs: this.now() - Date.now() })}\n`);
  }
}
