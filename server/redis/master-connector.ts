import { connect } from 'node:net';
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls';
import { AbstractConnector } from 'ioredis';
import type { RedisAddress } from '#server/config/redis-settings.ts';

/**
 * Connects to one server, and accepts only a master as ready, as ioredis does with sentinels: a server that
 * was made a replica refuses every write, and its name may soon lead to the new master.
 */
export function connectorToMaster(
  address: RedisAddress,
  tls: TlsOptions | undefined,
  disconnectTimeout: number,
): new () => AbstractConnector {
  return class extends AbstractConnector {
    constructor() {
      super(disconnectTimeout);
    }

    override async connect() {
      const stream = tls ? connectTls({ ...tls, ...address }) : connect({ ...address });
      stream.once('error', (error: Error) => {
        this.firstError = error;
      });
      this.connecting = true;
      this.stream = stream;
      return stream;
    }

    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === 'master';
    }
  };
}
