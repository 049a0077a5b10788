import * as v from 'valibot';
import type { Service } from '#scripts/product/child.ts';
import type { Server } from '#scripts/product/product.ts';

/** Due work of one worker, in milliseconds since the epoch. */
export interface WorkSpan {
  worker: number;
  fromMs: number;
  /** When it or its worker ended; infinity for work that ran to the end of the run. */
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

/** The due work of all workers according to their logs, in the order in which it began. */
export function spansIn(workers: readonly Server[], ends: readonly WorkerEnd[]): WorkSpan[] {
  const spans = workers.flatMap(({ lines }, worker) => {
    const said = lines.flatMap((line) => {
      const { success, output } = v.safeParse(lineSchema, line);
      return success && output.msg.startsWith('Due work ') ? [output] : [];
    });
    const endedAfter = (fromMs: number) =>
      Math.min(
        ...ends.filter((end) => end.worker === workers[worker] && end.atMs >= fromMs).map(({ atMs }) => atMs),
        ...said.filter(({ msg, time }) => msg === 'Due work ended' && time >= fromMs).map(({ time }) => time),
      );
    return said
      .filter(({ msg }) => msg === 'Due work begins')
      .map(({ time }) => ({ worker, fromMs: time, untilMs: endedAfter(time) }));
  });
  return spans.toSorted((one, other) => one.fromMs - other.fromMs);
}

/** The work that began while another worker did what is due. */
export function overlapping(spans: readonly WorkSpan[]): string[] {
  return spans.flatMap((span, place) => {
    const others = spans.slice(0, place).filter(({ untilMs }) => untilMs > span.fromMs);
    return others.map(
      ({ worker, fromMs }) =>
        `worker ${span.worker} began ${span.fromMs - fromMs} ms after worker ${worker}, which had not ended`,
    );
  });
}
