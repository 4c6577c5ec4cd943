"""The keywords of C, JavaScript, Python, Verilog and SystemVerilog, and names that behave as such."""

_WORDS = """
abs abstract accept_on alias alignas alignof always always_comb always_ff always_latch and any arguments array
as asm assert assign assume async auto automatic await before begin bind bins binsof bit bool boolean break
buf bufif0 bufif1 byte case casex casez cell chandle char checker class clocking cmos complex config const
constexpr constraint context continue cover covergroup coverpoint cross deassert deassign debugger def default
defparam del delete design disable dist do double edge elif else end endcase endchecker endclass endclocking
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram
endproperty endsequence endspecify endtable endtask enum eval event eventually except expect export extends
extern false final finally first_match float for force foreach forever fork forkjoin from function generate
generic genvar global globalthis goto highz0 highz1 if iff ifnone ignore_bins illegal_bins imaginary
implements implies import in incdir include infinity initial inline inout input inside instance instanceof int
integer interconnect interface intersect is join join_any join_none lambda large len let liblist library linux
list local localparam logic long longint macromodule main match matches math max medium min modport module nan
nand negedge nettype new nexttime nmos none nonlocal nor noreturn noshowcancelled not notif0 notif1 np null
nullptr numpy object or output package packed parameter pass pmos posedge primitive print priority private
program property protected public pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure
raise rand randc randcase randsequence rcmos real realtime ref reg register reject_on release repeat require
restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with
scalared self sequence short shortint shortreal showcancelled signed sizeof small soft solve specify specparam
static static_assert str string strong strong0 strong1 struct sum super supply0 supply1 switch sync_accept_on
sync_reject_on synchronized table tagged task this thread_local throughout throw throws time timeprecision
timeunit tran tranif0 tranif1 transient tri tri0 tri1 triand trior trireg true try type typedef typeof
typeof_unqual undefined union unique unique0 unix unsigned until until_with untyped use uwire var vectored
virtual void volatile wait wait_order wand weak weak0 weak1 while wildcard window wire with within wor xnor
xor yield
"""

KEYWORDS = frozenset(_WORDS.split())  # in lower case
