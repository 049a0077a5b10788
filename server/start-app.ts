import { createApp } from './create-app.ts';
import { listen } from './listen.ts';
import { createMailQueue } from './mail/queue.ts';
import { connectProducer } from './mail/redis.ts';
import { createAppOps } from './ops/create-ops-app.ts';
import { addQueueMetrics } from './ops/mail-metrics.ts';
import { createMetrics } from './ops/metrics.ts';
import { addLimitMetrics, addPaymentMetrics } from './ops/payment-metrics.ts';
import { readAssets } from './page/assets.ts';
import { createPayments } from './payments/payments.ts';
import { createRegistrationLimits } from './registration/registration-limits.ts';
import { runService } from './run-service.ts';

await runService('app', async (config, logger) => {
  const assets = await readAssets(new URL('./', import.meta.url));
  const metrics = createMetrics('app');
  const payments = createPayments(config.stripe, addPaymentMetrics(metrics));
  const redis = connectProducer(config.redisUrl, logger);
  const mailQueue = createMailQueue(redis, logger);
  const limits = createRegistrationLimits(redis, config.limits, logger, addLimitMetrics(metrics));

  const app = createApp({ config, logger, payments, mailQueue, limits, assets, metrics });
  addQueueMetrics(metrics, mailQueue);
  const probes = { redis: mailQueue.isReady, stripe: payments.isReachable };
  const opsApp = createAppOps({ probes, credentials: config.ops, metrics, mailQueue });
  const site = await listen(app, config.listen);
  const ops = await listen(opsApp, config.ops);
  logger.info({ site: site.url, ops: ops.url, payments: config.payments }, 'Listening');

  return [
    { name: 'site', close: site.close },
    { name: 'ops page', close: ops.close },
    { name: 'mail queue', close: mailQueue.close },
  ];
});
