import type { Request, Response } from 'express';
import { AppError } from './app-error.ts';
import { FairShare } from './fair-share.ts';
import { visitorAddress } from './visitor-address.ts';

/** How many bytes the unfinished bodies of one route may take together. */
const BYTES_AT_ONCE = 4 * 1024 * 1024;
const RETRY_AFTER_S = 60;

/**
 * Reads the body of a webhook, whose sender has not proved anything yet. However it arrives, it takes no more memory
 * than `mostBytes`, and all that arrive at the same time no more than `BYTES_AT_ONCE`. A body that is not JSON is empty.
 * @throws {AppError} 413 when it is larger; 503 when there are too many, and this is the oldest of the address with most
 */
export function webhookBody(mostBytes: number): (req: Request, res: Response) => Promise<Buffer> {
  const share = new FairShare(Math.floor(BYTES_AT_ONCE / mostBytes));
  return async (req, res) => {
    if (!req.is('json')) return Buffer.alloc(0);
    try {
      return await read(req, mostBytes, share);
    } catch (error) {
      // Otherwise Node would go on reading until the body is complete.
      res.set('Connection', 'close');
      throw error;
    }
  };
}

function read(req: Request, mostBytes: number, share: FairShare): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(req.get('Content-Length') ?? 0) > mostBytes) return reject(tooLarge());
    const body = Buffer.allocUnsafeSlow(mostBytes);
    let size = 0;
    const holding = { address: visitorAddress(req), awaitsClient: true, end: () => reject(busy()) };
    const settle = (): void => {
      share.release(holding);
      // After a refusal, or when the client has left, this comes too late to change anything.
      if (req.complete) resolve(Buffer.from(body.subarray(0, size)));
      else reject(unfinished());
    };
    share.take(holding);
    req.once('close', settle);
    req.on('data', (chunk: Buffer) => {
      if (size + chunk.length > mostBytes) reject(tooLarge());
      size += chunk.copy(body, size);
    });
  });
}

function tooLarge(): AppError {
  return new AppError({ code: 'too_large', status: 413, message: 'This request is too large' });
}

function unfinished(): AppError {
  return new AppError({ code: 'bad_request', status: 400, message: 'This request is not complete' });
}

/** Too many events are being received, or recorded: the provider sends these again. */
export function busy(): AppError {
  const message = 'Other events are still being received: please send these again';
  return new AppError({ code: 'busy', status: 503, message, retryAfterS: RETRY_AFTER_S });
}
