import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Request, type RequestHandler, type Response } from 'express';

/** The headers that handlers set on every answer, whatever was asked: to be found out once. */
export function fixedHeaders(...handlers: RequestHandler[]): Readonly<Record<string, string>> {
  const req: Request = Object.setPrototypeOf(new IncomingMessage(new Socket()), express.request);
  req.method = 'GET';
  req.url = '/';
  const res: Response = Object.setPrototypeOf(new ServerResponse(req), express.response);
  for (const handler of handlers) handler(req, res, () => {});
  return Object.fromEntries(res.getHeaderNames().map((name) => [name, String(res.getHeader(name))]));
}
