import { Counter, type Registry } from 'prom-client';
import { startAtZero } from './metrics.ts';

/** Counts what becomes of refunds: those that this worker made and that Stripe refused it, or those that this app was told had failed. */
export function addRefundMetrics(registry: Registry) {
  const refunds = new Counter({
    name: 'refunds_total',
    help: 'Refunds made by the worker (made), refused by Stripe at each try (refused), and failed at the bank (failed)',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const counted = (outcome: 'made' | 'refused' | 'failed') => {
    startAtZero(refunds, { outcome });
    return () => refunds.inc({ outcome });
  };
  return { made: counted('made'), refused: counted('refused'), failed: counted('failed') };
}

/** Counts the disputes that Stripe told of: opened, and closed with whatever end. */
export function addDisputeMetrics(registry: Registry) {
  const disputes = new Counter({
    name: 'disputes_total',
    help: 'Disputes of charges that Stripe told of, by event; what it tells twice counts twice',
    labelNames: ['event'],
    registers: [registry],
  });
  const counted = (event: 'opened' | 'won' | 'lost' | 'closed') => {
    startAtZero(disputes, { event });
    return () => disputes.inc({ event });
  };
  return { opened: counted('opened'), won: counted('won'), lost: counted('lost'), closed: counted('closed') };
}
