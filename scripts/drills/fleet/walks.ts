import * as v from 'valibot';
import type { Service } from '#scripts/product/child.ts';
import type { Server } from '#scripts/product/product.ts';

/** A walk of one worker, in milliseconds since the epoch. */
export interface WalkSpan {
  worker: number;
  fromMs: number;
  /** When the walk or its worker ended; infinity for a walk that ran to the end of the run. */
  untilMs: number;
}

/** A worker's death or stop, after which nothing of it runs. */
export interface WorkerEnd {
  worker: Service;
  atMs: number;
}

const lineSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ time: v.pipe(v.string(), v.transform(Date.parse)), msg: v.string() }),
);

/** The walks of all workers according to their logs, in the order in which they began. */
export function walksIn(workers: readonly Server[], ends: readonly WorkerEnd[]): WalkSpan[] {
  const spans = workers.flatMap(({ lines }, worker) => {
    const said = lines.flatMap((line) => {
      const { success, output } = v.safeParse(lineSchema, line);
      return success && output.msg.startsWith('Walk ') ? [output] : [];
    });
    const endedAfter = (fromMs: number) =>
      Math.min(
        ...ends.filter((end) => end.worker === workers[worker] && end.atMs >= fromMs).map(({ atMs }) => atMs),
        ...said.filter(({ msg, time }) => msg === 'Walk ended' && time >= fromMs).map(({ time }) => time),
      );
    return said
      .filter(({ msg }) => msg === 'Walk begins')
      .map(({ time }) => ({ worker, fromMs: time, untilMs: endedAfter(time) }));
  });
  return spans.toSorted((one, other) => one.fromMs - other.fromMs);
}

/** The walks that began while another one ran. */
export function overlapping(walks: readonly WalkSpan[]): string[] {
  return walks.flatMap((walk, place) => {
    const others = walks.slice(0, place).filter(({ untilMs }) => untilMs > walk.fromMs);
    return others.map(
      ({ worker, fromMs }) =>
        `a walk of worker ${walk.worker} began ${walk.fromMs - fromMs} ms after one of worker ${worker} that had not ended`,
    );
  });
}
