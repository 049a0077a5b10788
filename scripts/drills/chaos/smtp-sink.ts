export * from '#scripts/product/mail-server.ts';
