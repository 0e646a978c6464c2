import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jpos.iso.BaseChannel;
import org.jpos.iso.ISOChannel;
import org.jpos.iso.ISOException;
import org.jpos.iso.ISOMsg;
import org.jpos.iso.ISOPackager;
import org.jpos.iso.ISORequestListener;
import org.jpos.iso.ISOServer;
import org.jpos.iso.ISOSource;
import org.jpos.iso.ServerChannel;
import org.jpos.iso.channel.NACChannel;
import org.jpos.util.ThreadPool;

/**
 * An acquirer for tests, on jPOS: it only knows what its packager defines, and nothing of the gateway. It keeps books, declines by
 * card, and misbehaves by amount. Arguments: the class of the packager. It prints its ports, and exits when its standard input ends.
 */
public class Acquirer implements ISORequestListener {
  /** What was booked for a message, and its current state. */
  static class Entry {
    String at = Instant.now().toString();
    String kind;
    String key;
    String original;
    long amount;
    String currency;
    String result;
    long captured;
    long refunded;
    boolean closed;
    ISOMsg answer;
  }

  static final long LATE_MS = 600;
  static final String DECLINED_CARD = "4000000000000002";

  final Map<String, Entry> byKey = new HashMap<>();
  final List<Entry> books = new ArrayList<>();
  final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
  int silentReversals = 0;
  int silentAdvices = 0;
  /** The last message with a card, as it was received. */
  ISOMsg last;
  int echoes = 0;
  int repeats = 0;
  ISOServer server;

  static boolean is1993(ISOMsg m) throws ISOException {
    return m.getMTI().startsWith("1");
  }

  /** STAN, terminal and time identify a message. */
  static String keyOf(ISOMsg m) throws ISOException {
    return m.getString(41).trim() + "|" + m.getString(11) + "|" + m.getString(is1993(m) ? 12 : 7);
  }

  static String originalOf(ISOMsg m) throws ISOException {
    String data = m.getString(is1993(m) ? 56 : 90);
    if (data == null) return null;
    return m.getString(41).trim() + "|" + data.substring(4, 10) + "|" + data.substring(10, is1993(m) ? 22 : 20);
  }

  static String code(ISOMsg m, String of1987) throws ISOException {
    if (!is1993(m)) return of1987;
    switch (of1987) {
      case "00": return m.getMTI().charAt(1) == '4' ? "400" : m.getMTI().charAt(1) == '8' ? "800" : "000";
      case "10": return "002";
      case "05": return "100";
      case "25": return "914";
      case "96": return "909";
      case "61": return "121";
      default: return "119";
    }
  }

  public synchronized boolean process(ISOSource source, ISOMsg m) {
    try {
      ISOMsg answer = answerTo(m);
      if (answer != null) misbehave(source, m, answer);
    } catch (Exception e) {
      System.err.println("acquirer: " + e);
    }
    return true;
  }

  void misbehave(ISOSource source, ISOMsg m, ISOMsg answer) throws Exception {
    char kind = m.getMTI().charAt(1);
    boolean isAdvice = m.getMTI().charAt(2) == '2';
    if (kind == '4' && silentReversals > 0) { silentReversals--; return; }
    if (kind != '4' && isAdvice && silentAdvices > 0) { silentAdvices--; return; }
    long amount = kind == '8' || kind == '4' || isAdvice ? 0 : Long.parseLong(m.getString(4));
    if (amount == 90068) return;
    if (amount == 90070) { ((ISOChannel) source).disconnect(); return; }
    if (amount == 90069) {
      later.schedule(() -> { source.send(answer); return null; }, LATE_MS, TimeUnit.MILLISECONDS);
      return;
    }
    if (amount == 90072) answer.set(4, "000000090073");
    if (amount == 90073) answer.set(49, "978");
    if (amount == 90074) answer.set(11, "999999");
    if (amount == 90075) answer.set(41, "OTHER   ");
    source.send(answer);
  }

  ISOMsg answerTo(ISOMsg m) throws ISOException {
    ISOMsg answer = (ISOMsg) m.clone();
    answer.setResponseMTI();
    for (int hidden : new int[] {2, 14, 48}) answer.unset(hidden);
    String mti = m.getMTI();
    if (mti.charAt(1) == '8') {
      echoes++;
      answer.set(39, code(m, "00"));
      return answer;
    }
    Entry known = byKey.get(keyOf(m));
    if (known != null && known.answer != null) {
      repeats++;
      return (ISOMsg) known.answer.clone();
    }
    // The message is received but never answered, and nothing is booked.
    if (mti.charAt(1) != '4' && "000000090071".equals(m.getString(4))) return null;
    Entry entry = new Entry();
    entry.key = keyOf(m);
    entry.original = originalOf(m);
    entry.amount = Long.parseLong(m.getString(4));
    entry.currency = m.getString(49);
    String result = decide(m, entry);
    entry.result = "00".equals(result) || "10".equals(result) ? "approved" : "25".equals(result) ? "tombstone" : "declined";
    if (mti.charAt(1) == '4' && "reversal".equals(entry.kind) && "approved".equals(entry.result)) entry.result = "reversed";
    answer.set(39, code(m, result));
    if (m.hasField(2)) {
      last = (ISOMsg) m.clone();
      answer.set(48, additional(m, entry.result));
    }
    if (entry.result.equals("approved") && mti.charAt(1) != '4') answer.set(38, "A" + m.getString(11).substring(1));
    if ("10".equals(result)) answer.set(4, String.format("%012d", entry.amount));
    entry.answer = (ISOMsg) answer.clone();
    byKey.put(entry.key, entry);
    if (entry.kind != null) books.add(entry);
    return answer;
  }

  /** Network data in the tags of the built-in profiles: network transaction id, link id, AVS, cvc, and the advice of a decline. */
  static String additional(ISOMsg m, String result) throws ISOException {
    String own = "63015NTI" + m.getString(11) + "000000" + "64003LNK" + "83001Z" + "87001M";
    return "declined".equals(result) ? own + "8400203" : own;
  }

  /** Books the message. @return the response code of 1987 */
  String decide(ISOMsg m, Entry entry) throws ISOException {
    String mti = m.getMTI();
    Entry original = entry.original == null ? null : byKey.get(entry.original);
    if (mti.charAt(1) == '4') return isCancel(m) ? cancel(entry, original) : reverse(entry, original);
    if (mti.charAt(2) == '2') return capture(entry, original);
    if (m.getString(3).startsWith("20")) return refund(entry, original);
    entry.kind = mti.charAt(1) == '2' ? "purchase" : entry.amount == 0 ? "verification" : "authorization";
    if (DECLINED_CARD.equals(m.getString(2))) return "05";
    if (entry.amount == 90096) return "96";
    if (entry.amount == 90010) { entry.amount = 45000; return "10"; }
    if (entry.kind.equals("purchase")) entry.captured = entry.amount;
    return "00";
  }

  static boolean isCancel(ISOMsg m) throws ISOException {
    return is1993(m) ? "4000".equals(m.getString(25)) : "17".equals(m.getString(39));
  }

  static boolean stands(Entry e) {
    return e != null && "approved".equals(e.result) && !e.closed;
  }

  String capture(Entry entry, Entry original) {
    entry.kind = "capture";
    if (!stands(original) || !"authorization".equals(original.kind) || original.captured > 0) return "12";
    if (entry.amount > original.amount) return "61";
    original.captured = entry.amount;
    return "00";
  }

  String cancel(Entry entry, Entry original) {
    entry.kind = "cancellation";
    if (!stands(original) || !"authorization".equals(original.kind) || original.captured > 0) return "12";
    original.closed = true;
    return "00";
  }

  String refund(Entry entry, Entry original) {
    entry.kind = "refund";
    if (!stands(original)) return "12";
    if (original.refunded + entry.amount > original.captured) return "61";
    original.refunded += entry.amount;
    return "00";
  }

  String reverse(Entry entry, Entry original) {
    if (original == null) {
      entry.kind = "reversal";
      return "25";
    }
    // Reversed before, or never executed: it has no effect, and nothing is booked.
    if (original.closed || !"approved".equals(original.result)) return "00";
    if ("authorization".equals(original.kind) && original.captured > 0) return "12";
    if (original.refunded > 0) return "12";
    entry.kind = "reversal";
    original.closed = true;
    original.result = "reversed";
    if ("refund".equals(original.kind)) byKey.get(original.original).refunded -= original.amount;
    return "00";
  }

  synchronized String json() {
    StringBuilder out = new StringBuilder("[");
    for (Entry e : books) {
      if (out.length() > 1) out.append(',');
      out.append(String.format(
          "{\"at\":\"%s\",\"kind\":\"%s\",\"key\":\"%s\",\"original\":%s,\"amountMinor\":%d,\"currency\":\"%s\",\"result\":\"%s\"}",
          e.at, e.kind, e.key, e.original == null ? "null" : "\"" + e.original + "\"", e.amount, e.currency, e.result));
    }
    return out.append("]").toString();
  }

  String lastJson() throws ISOException {
    StringBuilder out = new StringBuilder("{");
    for (int number = 2; number <= 128; number++) {
      if (last == null || !last.hasField(number)) continue;
      if (out.length() > 1) out.append(',');
      out.append(String.format("\"%d\":\"%s\"", number, last.getString(number)));
    }
    return out.append("}").toString();
  }

  void control(HttpExchange exchange) throws IOException {
    String body = "{}";
    String[] words = exchange.getRequestURI().getPath().substring(1).split("/");
    switch (words[0]) {
      case "books": body = json(); break;
      case "last":
        try {
          body = lastJson();
        } catch (ISOException e) {
          throw new IOException(e);
        }
        break;
      case "counts": body = String.format("{\"network\":%d,\"repeats\":%d,\"connections\":%d}", echoes, repeats, server.getConnectionCount()); break;
      case "silent-reversals": silentReversals = Integer.parseInt(words[1]); break;
      case "silent-advices": silentAdvices = Integer.parseInt(words[1]); break;
      case "drop":
        for (String name : server.getISOChannelNames().split(" ")) if (!name.isBlank()) dropped(name);
        break;
      case "echo": askForLife(); break;
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  void dropped(String name) throws IOException {
    ISOChannel channel = server.getISOChannel(name);
    if (channel != null) channel.disconnect();
  }

  /** An echo that the acquirer itself sends. */
  void askForLife() throws IOException {
    try {
      for (String name : server.getISOChannelNames().split(" ")) {
        ISOChannel channel = server.getISOChannel(name);
        if (channel == null || !channel.isConnected()) continue;
        ISOMsg m = new ISOMsg();
        m.setMTI("0800");
        m.set(7, "1122000000");
        m.set(11, "000001");
        m.set(70, "301");
        channel.send(m);
      }
    } catch (ISOException e) {
      throw new IOException(e);
    }
  }

  public static void main(String[] args) throws Exception {
    ISOPackager packager = (ISOPackager) Class.forName("org.jpos.iso.packager." + args[0]).getDeclaredConstructor().newInstance();
    Acquirer acquirer = new Acquirer();
    ServerChannel channel = new NACChannel(packager, null);
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    acquirer.server = new ISOServer(port, channel, new ThreadPool(1, 64));
    acquirer.server.addISORequestListener(acquirer);
    new Thread(acquirer.server).start();
    HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    http.createContext("/", acquirer::control);
    http.start();
    System.out.println("ready " + port + " " + http.getAddress().getPort());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
