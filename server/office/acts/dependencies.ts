import type { Response } from 'express';
import type { ReactNode } from 'react';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';

/** The dependencies of pages with acts. */
export type ActPagesDependencies = Pick<
  OfficeDependencies,
  | 'config'
  | 'assets'
  | 'payments'
  | 'letterLog'
  | 'admission'
  | 'mailQueue'
  | 'redis'
  | 'registrationList'
  | 'askForDueWork'
  | 'audit'
  | 'logger'
  | 'now'
>;

/** Answers with a page of the office. */
export type SendPage = (res: Response, status: number, title: string, children: ReactNode) => void;
