import type { Response } from 'express';
import type { ReactNode } from 'react';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Assets } from '#server/page/assets.ts';
import type { ReadModel } from '#server/register/read-model.ts';
import type { User } from '#server/users/user.ts';
import type { ActDependencies } from './act-context.ts';

export interface RegistrationPagesDependencies extends ActDependencies {
  assets: Pick<Assets, 'officeStyle'>;
  mailQueue: MailQueue;
  readModel: ReadModel;
  /** Writes who did what into the log. */
  audit: Audit;
}

type Audit = (
  user: User,
  act: string,
  facts: { paymentIntent: string; mail?: string; outcome?: 'done' | 'changed' | 'refused' | 'failed' },
) => void;

/** Answers with a page of the office; it is kept nowhere. */
export type SendPage = (res: Response, status: number, title: string, children: ReactNode) => void;
