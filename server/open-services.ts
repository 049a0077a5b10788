import type { Registry } from 'prom-client';
import type { Config } from './config/config.ts';
import { createMailQueue, type MailQueue } from './mail/queue.ts';
import { connectProducer } from './mail/redis.ts';
import { createAppOps } from './ops/create-ops-app.ts';
import { addQueueMetrics } from './ops/mail-metrics.ts';
import { addLimitMetrics, addPaymentMetrics } from './ops/registration-metrics.ts';
import { createPayments, type Payments } from './payments/payments.ts';
import { createRegistrationLimits, type RegistrationLimits } from './registration/registration-limits.ts';
import type { Logger } from './service/logger.ts';

/** What registrations need, and the page does not: it takes as long to load as all the rest of the app. */
export interface Services {
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
}

/** Opens what registrations need, and the ops page that looks after it. */
export function openServices(config: Config, logger: Logger, metrics: Registry) {
  const payments = createPayments(config.stripe, addPaymentMetrics(metrics));
  const redis = connectProducer(config.redisUrl, logger);
  const mailQueue = createMailQueue(redis, logger);
  const limits = createRegistrationLimits(redis, config.limits, logger, addLimitMetrics(metrics));
  addQueueMetrics(metrics, mailQueue);
  const probes = { redis: mailQueue.isReady, stripe: payments.isReachable };
  const dismiss = payments.markDismissed;
  const opsApp = createAppOps({ probes, credentials: config.ops, metrics, mailQueue, dismiss, logger });
  return { services: { payments, mailQueue, limits } satisfies Services, opsApp };
}
