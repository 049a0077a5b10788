import type { RequestHandler } from 'express';
import { AppError } from './app-error.ts';

/**
 * Lets only JSON and empty bodies through: a page of another site can send forms and text without a preflight request,
 * but no JSON.
 */
export const requireJson: RequestHandler = (req, _res, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  const empty = encoding === undefined && Number(length ?? 0) === 0;
  const isFine = empty || req.is('json');
  const message = 'Only JSON is accepted here';
  next(isFine ? undefined : new AppError({ code: 'not_json', status: 415, message }));
};
