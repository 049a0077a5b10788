import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import * as v from 'valibot';
import type { Clock } from './account.ts';

/** Clients such as fetch of Node give up a connection that is silent for five minutes. */
const BEAT_MS = 60_000;

/**
 * The sandbox's date, which can be moved forward: what is created gets it, and a site that asks follows it. Signatures,
 * redeliveries and timeouts go by the machine's time.
 */
export class SandboxClock implements Clock {
  readonly #followers = new Set<ServerResponse>();
  readonly #time: Clock;
  #offsetMs: number;
  readonly #beatMs: number;

  /**
   * @param time what it goes by
   * @param startsAt where it stands at first, instead
   * @param beatMs how long it is silent to who follows it, at most
   */
  constructor(time: Clock, startsAt?: Date, beatMs = BEAT_MS) {
    this.#beatMs = beatMs;
    this.#time = time;
    this.#offsetMs = startsAt ? startsAt.getTime() - time.now() : 0;
  }

  /** In milliseconds since the epoch. */
  now(): number {
    return this.#time.now() + this.#offsetMs;
  }

  /**
   * Moves it to a later moment, and tells all who follow.
   * @throws {RangeError} for an earlier one: what was made already would then lie in the future
   */
  moveTo(moment: Date): void {
    // Written so that an invalid date is refused too.
    if (!(moment.getTime() >= this.now())) throw new RangeError('The clock moves forward only');
    this.#offsetMs = moment.getTime() - this.#time.now();
    for (const follower of this.#followers) this.#tell(follower);
  }

  /**
   * Tells a client now, and at each move, how far this clock is ahead of the machine's: a line of JSON each. Empty lines
   * between them keep it from giving up.
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

const moveSchema = v.object({
  to: v.pipe(
    v.string(),
    // What a field of a page sends has no zone: it is UTC.
    v.transform((to) => new Date(/[Z+]|-\d\d:\d\d$/.test(to) ? to : `${to}Z`)),
    v.check((date) => !Number.isNaN(date.getTime())),
  ),
});

/** `POST /sandbox/clock` of the sandbox's page: moves the clock to the moment `to`. */
export function moveClock(clock: SandboxClock): RequestHandler {
  return (request, response) => {
    const asked = v.safeParse(moveSchema, request.body);
    if (!asked.success) {
      response.status(400).type('text').send('to must be a date and time, such as 2027-03-08T17:30Z\n');
      return;
    }
    try {
      clock.moveTo(asked.output.to);
      response.redirect(303, '/');
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      response.status(409).type('text').send(`${error.message}\n`);
    }
  };
}
