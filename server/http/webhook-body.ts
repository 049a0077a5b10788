import type { Request, Response } from 'express';
import { AppError } from './app-error.ts';

/** How many bytes the unfinished bodies of one route may take together. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;
const RETRY_AFTER_S = 60;

/**
 * Reads the body of a webhook, whose sender has not proved anything yet. A body that is not JSON is empty.
 * @throws {AppError} 413 when it is larger than `mostBytes`; 503 while too many bodies are arriving
 */
export function webhookBody(mostBytes: number): (req: Request, res: Response) => Promise<Buffer> {
  let arriving = 0;
  return async (req, res) => {
    if (!req.is('json')) return Buffer.alloc(0);
    if (arriving >= BYTES_AT_ONCE / mostBytes) throw busy();
    arriving += 1;
    try {
      return await read(req, mostBytes);
    } catch (error) {
      // Otherwise Node would go on reading until the body is complete.
      res.set('Connection', 'close');
      throw req.errored ? unfinished() : error;
    } finally {
      arriving -= 1;
    }
  };
}

async function read(req: Request, mostBytes: number): Promise<Buffer> {
  if (Number(req.get('Content-Length') ?? 0) > mostBytes) throw tooLarge();
  // Kept one by one, the bytes of a body that comes in parts of one byte would take 250 times as much.
  const body = Buffer.allocUnsafeSlow(mostBytes);
  let size = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    if (size + chunk.length > mostBytes) throw tooLarge();
    size += chunk.copy(body, size);
  }
  return body.subarray(0, size);
}

function tooLarge(): AppError {
  return new AppError({ code: 'too_large', status: 413, message: 'This request is too large' });
}

function unfinished(): AppError {
  return new AppError({ code: 'bad_request', status: 400, message: 'This request is not complete' });
}

/** Too many events are being received: the provider sends these again. */
function busy(): AppError {
  const message = 'Other events are still being received: please send these again';
  return new AppError({ code: 'busy', status: 503, message, retryAfterS: RETRY_AFTER_S });
}
