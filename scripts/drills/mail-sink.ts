import { startMailServer } from '#scripts/product/mail-server.ts';

// A side process: a mail server that accepts every mail and discards it.
const { url } = await startMailServer({ discards: true });
process.on('disconnect', () => process.exit());
process.send?.({ url });
