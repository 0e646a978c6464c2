import type { Connection, Model, Schema } from 'mongoose';

/**
 * Returns the model of a schema on this connection, compiled once. Models are never global: a test or a tool may hold several databases.
 */
export function modelOn<T>(connection: Connection, name: string, schema: Schema<T>): Model<T> {
  return (connection.models[name] as Model<T> | undefined) ?? connection.model<T>(name, schema);
}
