import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import javax.json.Json;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.antlr.v4.runtime.misc.Interval;

/**
 * Judges Oracle's SQL by the PL/SQL grammar of ANTLR.
 *
 * <p>A line of the input is a statement as a JSON string. The answer is a line: null, or a JSON string that says what
 * is wrong.
 */
public final class Judge {
    /** How many bytes the parser may keep after a collection. */
    private static final long LEARNT = 512L << 20;

    /** Where the long-lived objects of the serial collector are. */
    private static final MemoryPoolMXBean HEAP = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getName().contains("Tenured"))
            .findFirst()
            .orElseThrow();

    private Judge() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            // A document is an object or an array.
            String statement = Json.createReader(new StringReader("[" + line + "]")).readArray().getString(0);
            String wrong = verdict(statement);
            answers.println(wrong == null ? "null" : Json.createArrayBuilder().add(wrong).build().get(0));
        }
    }

    /** What is wrong with a statement; null, if nothing. */
    private static String verdict(String statement) {
        // The quick look takes nothing wrong, but may miss what is right.
        try {
            return verdict(statement, PredictionMode.SLL) == null ? null : verdict(statement, PredictionMode.LL);
        } catch (OutOfMemoryError full) {
            // One statement can teach the parser more than there is room for.
            new PlSqlParser(new CommonTokenStream(new PlSqlLexer(CharStreams.fromString("")))).getInterpreter().clearDFA();
            return verdict(statement, PredictionMode.LL);
        }
    }

    private static String verdict(String statement, PredictionMode mode) {
        AtomicReference<String> first = new AtomicReference<>();
        BaseErrorListener listener = new BaseErrorListener() {
            @Override
            public void syntaxError(
                    Recognizer<?, ?> by, Object symbol, int line, int column, String message, RecognitionException cause) {
                String known = message.length() > 300 ? message.substring(0, 300) + " .." : message;
                first.compareAndSet(null, known + " (column " + (column + 1) + ")");
            }
        };
        PlSqlLexer lexer = new PlSqlLexer(new UpperCase(CharStreams.fromString(statement)));
        lexer.removeErrorListeners();
        lexer.addErrorListener(listener);
        CommonTokenStream tokens = new CommonTokenStream(lexer);
        PlSqlParser parser = new PlSqlParser(tokens);
        parser.getInterpreter().setPredictionMode(mode);
        parser.removeErrorListeners();
        parser.addErrorListener(listener);
        switch (tokens.LA(1)) {
            case PlSqlLexer.CREATE, PlSqlLexer.ALTER, PlSqlLexer.DROP, PlSqlLexer.COMMENT -> parser.unit_statement();
            default -> parser.data_manipulation_language_statements();
        }
        Token end = tokens.LT(1);
        if (end.getType() != Token.EOF) {
            first.compareAndSet(null, "the statement ends before " + end.getText());
        }
        // What the parser has learnt grows without limit, and several judges run at once.
        if (HEAP.getCollectionUsage().getUsed() > LEARNT) {
            parser.getInterpreter().clearDFA();
        }
        return first.get();
    }

    /** What the lexer sees: the grammar has its words in capitals. The text of a token stays as it is. */
    private record UpperCase(CharStream text) implements CharStream {
        @Override
        public int LA(int place) {
            int next = text.LA(place);
            return next <= 0 ? next : Character.toUpperCase(next);
        }

        @Override
        public String getText(Interval interval) {
            return text.getText(interval);
        }

        @Override
        public void consume() {
            text.consume();
        }

        @Override
        public int mark() {
            return text.mark();
        }

        @Override
        public void release(int marker) {
            text.release(marker);
        }

        @Override
        public int index() {
            return text.index();
        }

        @Override
        public void seek(int index) {
            text.seek(index);
        }

        @Override
        public int size() {
            return text.size();
        }

        @Override
        public String getSourceName() {
            return text.getSourceName();
        }
    }
}
