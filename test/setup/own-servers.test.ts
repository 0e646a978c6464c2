import { existsSync } from 'node:fs';
import mongoose from 'mongoose';
import { type OwnMongo, type OwnRedis, startOwnMongo, startOwnRedis } from '../support/own-servers.js';

/** Whether the process exists. */
function lives(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

test('a MongoDB of its own survives SIGKILL with its data, on the same address', async () => {
  const server: OwnMongo = await startOwnMongo();
  try {
    const client = new mongoose.mongo.MongoClient(server.uri('own'), { serverSelectionTimeoutMS: 5_000 });
    await client
      .db()
      .collection<{ _id: number }>('things')
      .insertOne({ _id: 1 }, { writeConcern: { w: 'majority', journal: true } });
    await client.close();
    const { pid } = server;
    await server.kill();
    expect(lives(pid)).toBe(false);
    await server.restart();
    const again = await new mongoose.mongo.MongoClient(server.uri('own')).connect();
    expect(await again.db().collection('things').countDocuments()).toBe(1);
    await again.close();
  } finally {
    await server.stop();
  }
  expect(lives(server.pid)).toBe(false);
});

test('a Redis of its own can be flushed, killed and started again', async () => {
  const server: OwnRedis = await startOwnRedis();
  try {
    await server.flushAll();
    await server.kill('SIGKILL');
    await expect(server.flushAll()).rejects.toThrow('ECONNREFUSED');
    await server.restart();
    await server.flushAll();
  } finally {
    await server.stop();
  }
});
