// Runs Perfetto's trace processor, as its web page ships it, on a trace: node trace_processor.mjs FOLDER TRACE SQL...
// Prints the rows of each query as one line of JSON. The protocol: protos/perfetto/trace_processor in Perfetto.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const [folder, trace, ...queries] = process.argv.slice(2);
const APPEND = 1, FINALIZE = 2, QUERY = 3; // methods of a TraceProcessorRpc
const REQUEST = 2, DATA = 101, QUERY_ARGUMENTS = 103, QUERY_RESULT = 203; // its fields

const replies = [];
const port = {postMessage: (data) => replies.push(Buffer.from(data))};

class FileRequest { // the engine loads its module by a synchronous request
  open(_, name) {
    this.name = path.basename(name);
  }
  send() {
    const data = fs.readFileSync(path.join(folder, this.name));
    this.status = 200;
    this.response = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
  }
}

const silent = Object.fromEntries(['log', 'warn', 'error', 'info', 'debug'].map((name) => [name, () => {}]));
const worker = vm.createContext({ // what the engine finds in a browser's worker
  console: silent, TextDecoder, TextEncoder, URL, performance, setTimeout,
  XMLHttpRequest: FileRequest, location: {href: 'file:///engine.js'}, importScripts() {}, WorkerGlobalScope() {},
});
worker.self = worker;
vm.runInContext(fs.readFileSync(path.join(folder, 'engine_bundle.js'), 'utf8'), worker);
const Bytes = vm.runInContext('Uint8Array', worker); // it takes its own kind only
worker.onmessage({data: port});
await new Promise((ready) => setTimeout(ready, 0));

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}
const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const block = (field, data) => Buffer.concat([varint(field * 8 + 2), varint(data.length), data]);

class Reader {
  constructor(data) {
    this.data = data ?? Buffer.alloc(0);
    this.at = 0;
  }
  varint() {
    let value = 0n, shift = 0n, byte;
    do {
      byte = this.data[this.at++];
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte > 127);
    return Number(BigInt.asIntN(64, value));
  }
  take(size) {
    this.at += size;
    return this.data.subarray(this.at - size, this.at);
  }
  * varints() {
    while (this.at < this.data.length) yield this.varint();
  }
  * fields() {
    while (this.at < this.data.length) {
      const key = this.varint(), kind = key & 7;
      yield [key >> 3, kind === 0 ? this.varint() : this.take(kind === 1 ? 8 : this.varint())];
    }
  }
}
const fields = (data) => [...new Reader(data).fields()];

let sequence = 0;
function call(method, ...content) { // the answers, each as its fields
  replies.length = 0;
  const message = Buffer.concat([number(1, sequence++), number(REQUEST, method), ...content]);
  port.onmessage({data: new Bytes(block(1, message))});
  return replies.flatMap(fields).map(([, answer]) => new Map(fields(answer)));
}

function cells(batch) {
  const columns = new Map(fields(batch));
  const integers = new Reader(columns.get(2)), doubles = new Reader(columns.get(3));
  const texts = (columns.get(5) ?? Buffer.alloc(0)).toString().split('\0');
  const read = {2: () => integers.varint(), 3: () => doubles.take(8).readDoubleLE(), 4: () => texts.shift()};
  return [...new Reader(columns.get(1)).varints()].map((kind) => (read[kind] ?? (() => null))());
}

function rows(sql) {
  const found = [];
  let width = 0;
  for (const answer of call(QUERY, block(QUERY_ARGUMENTS, block(1, Buffer.from(sql))))) {
    for (const [field, value] of fields(answer.get(QUERY_RESULT))) {
      if (field === 1) width += 1; // a column's name
      if (field === 2) throw new Error(value.toString());
      if (field === 3) found.push(...cells(value));
    }
  }
  return Array.from({length: found.length / width}, (_, row) => found.slice(row * width, (row + 1) * width));
}

call(APPEND, block(DATA, fs.readFileSync(trace)));
call(FINALIZE);
for (const sql of queries) console.log(JSON.stringify(rows(sql)));
