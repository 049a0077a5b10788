import type { Redis } from 'ioredis';
import type { AppConfig } from '#server/config/config.ts';
import type { Database } from '#server/database/database.ts';
import type { DatabaseProbe } from '#server/database/probe.ts';
import type { Limiter } from '#server/http/limiter.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Assets } from '#server/page/assets.ts';
import type { Admission } from '#server/registration/registration.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Metrics } from '#server/service/metrics.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import type { Audit } from '#server/users/user.ts';
import type { Users } from '#server/users/users.ts';
import type { AskForDueWork } from '#server/worker/due-work-queue.ts';

export interface OfficeOptions {
  config: AppConfig;
  assets: Assets;
  database: Database;
  payments: Payments;
  letterLog: LetterLog;
  admission: Admission;
  mailQueue: MailQueue;
  redis: Redis;
  limiter: Limiter;
  registerProbe: Pick<DatabaseProbe, 'isWritable' | 'awaySince'>;
  askForDueWork: AskForDueWork;
  metrics: Metrics;
  logger: Logger;
  /** The site's business date, see `Clock`. */
  now: () => Date;
  /** The time for sessions and sign-in limits: the machine's time, unless a test moves it. */
  time?: (() => Date) | undefined;
}

/** The dependencies that every part of the office's pages may use. */
export interface OfficeDependencies extends Omit<OfficeOptions, 'limiter'> {
  users: Users;
  audit: Audit;
}
