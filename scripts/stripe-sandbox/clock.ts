import type { ServerResponse } from 'node:http';
import type { Express } from 'express';
import * as v from 'valibot';

export type Clock = { now: () => number };

/** Clients such as Node's fetch close a connection that is silent for five minutes. */
const BEAT_MS = 60_000;

/** The business time, which can be moved forward, and a site may follow. */
export class SandboxClock implements Clock {
  readonly #followers = new Set<ServerResponse>();
  readonly #time: Clock;
  #offsetMs: number;

  constructor(time: Clock, startsAt?: Date) {
    this.#time = time;
    this.#offsetMs = startsAt ? startsAt.getTime() - time.now() : 0;
  }

  now(): number {
    return this.#time.now() + this.#offsetMs;
  }

  /** @throws {RangeError} for an earlier moment: existing objects would then be dated in the future */
  moveTo(moment: Date): void {
    // Written so that an invalid date is refused too.
    if (!(moment.getTime() >= this.now())) throw new RangeError('The clock moves forward only');
    this.#offsetMs = moment.getTime() - this.#time.now();
    for (const follower of this.#followers) this.#tell(follower);
  }

  /** How far it is ahead of the machine's: a line of JSON now and at each move, and empty lines in between. */
  follow(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
    this.#followers.add(response);
    const beat = setInterval(() => response.write('\n'), BEAT_MS).unref();
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

/** The time zone may be left out, and means UTC then. */
const moveSchema = v.object({
  to: v.pipe(
    v.string(),
    v.transform((to) => new Date(/[Z+]|-\d\d:\d\d$/.test(to) ? to : `${to}Z`)),
    v.date(),
  ),
});

/** `GET /sandbox/clock` is followed by sites; `POST` with `to` moves it, which no page of the browser may do. */
export function addClock(app: Express, clock: SandboxClock): void {
  app.get('/sandbox/clock', (_request, response) => clock.follow(response));
  app.post('/sandbox/clock', (request, response) => {
    const answer = (status: number, text: string) => response.status(status).type('text').send(`${text}\n`);
    if (request.get('origin') !== undefined) return answer(403, 'Not from a page');
    const { success, output } = v.safeParse(moveSchema, request.body);
    if (!success) return answer(400, 'to must be a date and time, such as 2027-03-08T17:30Z');
    if (output.to.getTime() < clock.now()) return answer(409, 'The clock moves forward only');
    clock.moveTo(output.to);
    return answer(200, output.to.toISOString());
  });
}
