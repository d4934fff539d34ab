// softmax_rows
static const uint3 gl_WorkGroupSize = uint3(128u, 1u, 1u);

ByteAddressBuffer _231 : register(t0, space0);
RWByteAddressBuffer _634 : register(u1, space0);
cbuffer Push : register(b0, space0)
{
    int _169_N : packoffset(c0);
    int _169_X_offset : packoffset(c0.y);
    int _169_X_stride_0 : packoffset(c0.z);
    int _169_Y_offset : packoffset(c0.w);
    int _169_Y_stride_0 : packoffset(c1);
    int _169_Y_stride_1 : packoffset(c1.y);
    uint _169_base_x : packoffset(c1.z);
    uint _169_base_y : packoffset(c1.w);
    uint _169_base_z : packoffset(c2);
};


static uint3 gl_WorkGroupID;
static uint3 gl_LocalInvocationID;
static uint gl_LocalInvocationIndex;
struct SPIRV_Cross_Input
{
    uint3 gl_WorkGroupID : SV_GroupID;
    uint3 gl_LocalInvocationID : SV_GroupThreadID;
    uint gl_LocalInvocationIndex : SV_GroupIndex;
};

groupshared float Largest_rows1[1];
groupshared float parts2[128];
groupshared float Total_rows1[1];
groupshared float parts3[128];

void comp_main()
{
    int _175 = int(gl_WorkGroupID.x + _169_base_x);
    int _179 = int(gl_LocalInvocationIndex);
    bool _181 = _179 < 1;
    if (_181)
    {
        Largest_rows1[0] = asfloat(0xff800000u /* -inf */);
    }
    int _197 = int(gl_LocalInvocationID.x);
    int _207 = -(((-_169_N) + _197) >> 7);
    parts2[_197] = asfloat(0xff800000u /* -inf */);
    float _1235;
    _1235 = parts2[_197];
    for (int _1234 = 0; _1234 < _207; )
    {
        int _245 = ((_169_X_offset + (_175 * _169_X_stride_0)) + _197) + (_1234 * 128);
        int _695 = asint(_1235);
        int _711 = asint(_231.Load<float>(_245 * 4 + 0));
        _1235 = ((((_695 & 2147483647) > 2139095040) ? 2147483647 : (_695 ^ ((_695 >> 31) & 2147483647))) > (((_711 & 2147483647) > 2139095040) ? 2147483647 : (_711 ^ ((_711 >> 31) & 2147483647)))) ? _1235 : _231.Load<float>(_245 * 4 + 0);
        _1234++;
        continue;
    }
    parts2[_197] = _1235;
    GroupMemoryBarrierWithGroupSync();
    bool _265 = _179 < 64;
    if (_265)
    {
        int _271 = _179 + 64;
        int _739 = asint(parts2[_179]);
        int _755 = asint(parts2[_271]);
        parts2[_179] = ((((_739 & 2147483647) > 2139095040) ? 2147483647 : (_739 ^ ((_739 >> 31) & 2147483647))) > (((_755 & 2147483647) > 2139095040) ? 2147483647 : (_755 ^ ((_755 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_271];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _285 = _179 < 32;
    if (_285)
    {
        int _291 = _179 + 32;
        int _783 = asint(parts2[_179]);
        int _799 = asint(parts2[_291]);
        parts2[_179] = ((((_783 & 2147483647) > 2139095040) ? 2147483647 : (_783 ^ ((_783 >> 31) & 2147483647))) > (((_799 & 2147483647) > 2139095040) ? 2147483647 : (_799 ^ ((_799 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_291];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _305 = _179 < 16;
    if (_305)
    {
        int _311 = _179 + 16;
        int _827 = asint(parts2[_179]);
        int _843 = asint(parts2[_311]);
        parts2[_179] = ((((_827 & 2147483647) > 2139095040) ? 2147483647 : (_827 ^ ((_827 >> 31) & 2147483647))) > (((_843 & 2147483647) > 2139095040) ? 2147483647 : (_843 ^ ((_843 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_311];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _325 = _179 < 8;
    if (_325)
    {
        int _331 = _179 + 8;
        int _871 = asint(parts2[_179]);
        int _887 = asint(parts2[_331]);
        parts2[_179] = ((((_871 & 2147483647) > 2139095040) ? 2147483647 : (_871 ^ ((_871 >> 31) & 2147483647))) > (((_887 & 2147483647) > 2139095040) ? 2147483647 : (_887 ^ ((_887 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_331];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _345 = _179 < 4;
    if (_345)
    {
        int _351 = _179 + 4;
        int _915 = asint(parts2[_179]);
        int _931 = asint(parts2[_351]);
        parts2[_179] = ((((_915 & 2147483647) > 2139095040) ? 2147483647 : (_915 ^ ((_915 >> 31) & 2147483647))) > (((_931 & 2147483647) > 2139095040) ? 2147483647 : (_931 ^ ((_931 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_351];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _364 = _179 < 2;
    if (_364)
    {
        int _370 = _179 + 2;
        int _959 = asint(parts2[_179]);
        int _975 = asint(parts2[_370]);
        parts2[_179] = ((((_959 & 2147483647) > 2139095040) ? 2147483647 : (_959 ^ ((_959 >> 31) & 2147483647))) > (((_975 & 2147483647) > 2139095040) ? 2147483647 : (_975 ^ ((_975 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_370];
    }
    GroupMemoryBarrierWithGroupSync();
    if (_181)
    {
        int _389 = _179 + 1;
        int _1003 = asint(parts2[_179]);
        int _1019 = asint(parts2[_389]);
        parts2[_179] = ((((_1003 & 2147483647) > 2139095040) ? 2147483647 : (_1003 ^ ((_1003 >> 31) & 2147483647))) > (((_1019 & 2147483647) > 2139095040) ? 2147483647 : (_1019 ^ ((_1019 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_389];
    }
    GroupMemoryBarrierWithGroupSync();
    if (_181)
    {
        int _1047 = asint(Largest_rows1[0]);
        int _1063 = asint(parts2[0]);
        Largest_rows1[0] = ((((_1047 & 2147483647) > 2139095040) ? 2147483647 : (_1047 ^ ((_1047 >> 31) & 2147483647))) > (((_1063 & 2147483647) > 2139095040) ? 2147483647 : (_1063 ^ ((_1063 >> 31) & 2147483647)))) ? Largest_rows1[0] : parts2[0];
    }
    if (_181)
    {
        Total_rows1[0] = 0.0f;
    }
    GroupMemoryBarrierWithGroupSync();
    parts3[_197] = -0.0f;
    float _1237;
    _1237 = parts3[_197];
    for (int _1236 = 0; _1236 < _207; )
    {
        precise float _469 = _231.Load<float>((((_169_X_offset + (_175 * _169_X_stride_0)) + _197) + (_1236 * 128)) * 4 + 0) - Largest_rows1[0];
        float _1087 = (_469 > 89.0f) ? 89.0f : _469;
        float _1091 = (_1087 < (-104.0f)) ? (-104.0f) : _1087;
        precise float _1093 = _1091 * 1.44269502162933349609375f;
        precise float _1094 = _1093 + 12582912.0f;
        precise float _1096 = _1094 - 12582912.0f;
        precise float _1099 = _1096 * 0.693145751953125f;
        precise float _1100 = _1091 - _1099;
        precise float _1102 = _1096 * 1.4286067653301870450377464294434e-06f;
        precise float _1103 = _1100 - _1102;
        precise float _1115 = _1103 * 0.001395060331560671329498291015625f;
        precise float _1116 = _1115 + 0.008368953131139278411865234375f;
        precise float _1119 = _1116 * _1103;
        precise float _1120 = _1119 + 0.0416662059724330902099609375f;
        precise float _1123 = _1120 * _1103;
        precise float _1124 = _1123 + 0.16666518151760101318359375f;
        precise float _1127 = _1124 * _1103;
        precise float _1128 = _1127 + 0.5f;
        precise float _1131 = _1103 * _1103;
        precise float _1133 = _1131 * _1128;
        precise float _1107 = _1103 + _1133;
        precise float _1108 = 1.0f + _1107;
        uint _1140 = asuint(_1094) - 1262485250u;
        uint _1142 = _1140 >> uint(1);
        precise float _1147 = _1108 * asfloat(_1142 << uint(23));
        precise float _1153 = _1147 * asfloat((_1140 - _1142) << uint(23));
        precise float _472 = _1237 + _1153;
        _1237 = _472;
        _1236++;
        continue;
    }
    parts3[_197] = _1237;
    GroupMemoryBarrierWithGroupSync();
    if (_265)
    {
        precise float _493 = parts3[_179] + parts3[_179 + 64];
        parts3[_179] = _493;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_285)
    {
        precise float _510 = parts3[_179] + parts3[_179 + 32];
        parts3[_179] = _510;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_305)
    {
        precise float _527 = parts3[_179] + parts3[_179 + 16];
        parts3[_179] = _527;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_325)
    {
        precise float _544 = parts3[_179] + parts3[_179 + 8];
        parts3[_179] = _544;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_345)
    {
        precise float _561 = parts3[_179] + parts3[_179 + 4];
        parts3[_179] = _561;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_364)
    {
        precise float _578 = parts3[_179] + parts3[_179 + 2];
        parts3[_179] = _578;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_181)
    {
        precise float _595 = parts3[_179] + parts3[_179 + 1];
        parts3[_179] = _595;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_181)
    {
        precise float _608 = Total_rows1[0] + parts3[0];
        Total_rows1[0] = _608;
    }
    GroupMemoryBarrierWithGroupSync();
    for (int _1238 = 0; _1238 < _207; )
    {
        int _645 = _1238 * 128;
        precise float _668 = _231.Load<float>((((_169_X_offset + (_175 * _169_X_stride_0)) + _197) + _645) * 4 + 0) - Largest_rows1[0];
        float _1167 = (_668 > 89.0f) ? 89.0f : _668;
        float _1171 = (_1167 < (-104.0f)) ? (-104.0f) : _1167;
        precise float _1173 = _1171 * 1.44269502162933349609375f;
        precise float _1174 = _1173 + 12582912.0f;
        precise float _1176 = _1174 - 12582912.0f;
        precise float _1179 = _1176 * 0.693145751953125f;
        precise float _1180 = _1171 - _1179;
        precise float _1182 = _1176 * 1.4286067653301870450377464294434e-06f;
        precise float _1183 = _1180 - _1182;
        precise float _1195 = _1183 * 0.001395060331560671329498291015625f;
        precise float _1196 = _1195 + 0.008368953131139278411865234375f;
        precise float _1199 = _1196 * _1183;
        precise float _1200 = _1199 + 0.0416662059724330902099609375f;
        precise float _1203 = _1200 * _1183;
        precise float _1204 = _1203 + 0.16666518151760101318359375f;
        precise float _1207 = _1204 * _1183;
        precise float _1208 = _1207 + 0.5f;
        precise float _1211 = _1183 * _1183;
        precise float _1213 = _1211 * _1208;
        precise float _1187 = _1183 + _1213;
        precise float _1188 = 1.0f + _1187;
        uint _1220 = asuint(_1174) - 1262485250u;
        uint _1222 = _1220 >> uint(1);
        precise float _1227 = _1188 * asfloat(_1222 << uint(23));
        precise float _1233 = _1227 * asfloat((_1220 - _1222) << uint(23));
        precise float _673 = _1233 / Total_rows1[0];
        _634.Store<float>(((_169_Y_offset + (_175 * _169_Y_stride_0)) + ((_197 + _645) * _169_Y_stride_1)) * 4 + 0, _673);
        _1238++;
        continue;
    }
}

[numthreads(128, 1, 1)]
void main(SPIRV_Cross_Input stage_input)
{
    gl_WorkGroupID = stage_input.gl_WorkGroupID;
    gl_LocalInvocationID = stage_input.gl_LocalInvocationID;
    gl_LocalInvocationIndex = stage_input.gl_LocalInvocationIndex;
    comp_main();
}

// softmax_rows1
static const uint3 gl_WorkGroupSize = uint3(32u, 4u, 1u);

ByteAddressBuffer _264 : register(t0, space0);
RWByteAddressBuffer _842 : register(u1, space0);
cbuffer Push : register(b0, space0)
{
    int _169_M : packoffset(c0);
    int _169_N : packoffset(c0.y);
    int _169_X_offset : packoffset(c0.z);
    int _169_X_stride_0 : packoffset(c0.w);
    int _169_Y_offset : packoffset(c1);
    int _169_Y_stride_0 : packoffset(c1.y);
    int _169_Y_stride_1 : packoffset(c1.z);
    uint _169_base_x : packoffset(c1.w);
    uint _169_base_y : packoffset(c2);
    uint _169_base_z : packoffset(c2.y);
};


static uint3 gl_WorkGroupID;
static uint3 gl_LocalInvocationID;
static uint gl_LocalInvocationIndex;
struct SPIRV_Cross_Input
{
    uint3 gl_WorkGroupID : SV_GroupID;
    uint3 gl_LocalInvocationID : SV_GroupThreadID;
    uint gl_LocalInvocationIndex : SV_GroupIndex;
};

groupshared float Largest_rows[4];
groupshared float parts[128];
groupshared float Total_rows[4];
groupshared float parts1[128];

void comp_main()
{
    int _177 = int(gl_WorkGroupID.x + _169_base_x) * 4;
    int _185 = min(4, (_169_M - _177));
    int _189 = int(gl_LocalInvocationIndex);
    for (int _1360 = _189; _1360 < _185; )
    {
        Largest_rows[_1360] = asfloat(0xff800000u /* -inf */);
        _1360 += 128;
        continue;
    }
    int _215 = int(gl_LocalInvocationID.y);
    int _219 = int(gl_LocalInvocationID.x);
    bool _222 = _215 < _185;
    if (_222)
    {
        int _233 = -(((-_169_N) + _219) >> 5);
        int _242 = (_215 * 32) + _219;
        parts[_242] = asfloat(0xff800000u /* -inf */);
        float _1362;
        _1362 = parts[_242];
        for (int _1361 = 0; _1361 < _233; )
        {
            int _280 = ((_169_X_offset + ((_177 + _215) * _169_X_stride_0)) + _219) + (_1361 * 32);
            int _909 = asint(_1362);
            int _925 = asint(_264.Load<float>(_280 * 4 + 0));
            _1362 = ((((_909 & 2147483647) > 2139095040) ? 2147483647 : (_909 ^ ((_909 >> 31) & 2147483647))) > (((_925 & 2147483647) > 2139095040) ? 2147483647 : (_925 ^ ((_925 >> 31) & 2147483647)))) ? _1362 : _264.Load<float>(_280 * 4 + 0);
            _1361++;
            continue;
        }
        parts[_242] = _1362;
    }
    GroupMemoryBarrierWithGroupSync();
    bool _303 = _189 < 64;
    if (_303)
    {
        int _308 = _189 >> 4;
        if (_308 < _185)
        {
            int _321 = (_308 * 32) + (_189 & 15);
            int _331 = _321 + 16;
            int _953 = asint(parts[_321]);
            int _969 = asint(parts[_331]);
            parts[_321] = ((((_953 & 2147483647) > 2139095040) ? 2147483647 : (_953 ^ ((_953 >> 31) & 2147483647))) > (((_969 & 2147483647) > 2139095040) ? 2147483647 : (_969 ^ ((_969 >> 31) & 2147483647)))) ? parts[_321] : parts[_331];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _344 = _189 < 32;
    if (_344)
    {
        int _349 = _189 >> 3;
        if (_349 < _185)
        {
            int _361 = (_349 * 32) + (_189 & 7);
            int _371 = _361 + 8;
            int _997 = asint(parts[_361]);
            int _1013 = asint(parts[_371]);
            parts[_361] = ((((_997 & 2147483647) > 2139095040) ? 2147483647 : (_997 ^ ((_997 >> 31) & 2147483647))) > (((_1013 & 2147483647) > 2139095040) ? 2147483647 : (_1013 ^ ((_1013 >> 31) & 2147483647)))) ? parts[_361] : parts[_371];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _384 = _189 < 16;
    if (_384)
    {
        int _389 = _189 >> 2;
        if (_389 < _185)
        {
            int _401 = (_389 * 32) + (_189 & 3);
            int _410 = _401 + 4;
            int _1041 = asint(parts[_401]);
            int _1057 = asint(parts[_410]);
            parts[_401] = ((((_1041 & 2147483647) > 2139095040) ? 2147483647 : (_1041 ^ ((_1041 >> 31) & 2147483647))) > (((_1057 & 2147483647) > 2139095040) ? 2147483647 : (_1057 ^ ((_1057 >> 31) & 2147483647)))) ? parts[_401] : parts[_410];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _423 = _189 < 8;
    if (_423)
    {
        int _428 = _189 >> 1;
        if (_428 < _185)
        {
            int _440 = (_428 * 32) + (_189 & 1);
            int _449 = _440 + 2;
            int _1085 = asint(parts[_440]);
            int _1101 = asint(parts[_449]);
            parts[_440] = ((((_1085 & 2147483647) > 2139095040) ? 2147483647 : (_1085 ^ ((_1085 >> 31) & 2147483647))) > (((_1101 & 2147483647) > 2139095040) ? 2147483647 : (_1101 ^ ((_1101 >> 31) & 2147483647)))) ? parts[_440] : parts[_449];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _462 = _189 < 4;
    if (_462)
    {
        if (_189 < _185)
        {
            int _473 = _189 * 32;
            int _481 = _473 + 1;
            int _1129 = asint(parts[_473]);
            int _1145 = asint(parts[_481]);
            parts[_473] = ((((_1129 & 2147483647) > 2139095040) ? 2147483647 : (_1129 ^ ((_1129 >> 31) & 2147483647))) > (((_1145 & 2147483647) > 2139095040) ? 2147483647 : (_1145 ^ ((_1145 >> 31) & 2147483647)))) ? parts[_473] : parts[_481];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    for (int _1363 = _189; _1363 < _185; )
    {
        int _504 = _1363 * 32;
        int _1173 = asint(Largest_rows[_1363]);
        int _1189 = asint(parts[_504]);
        Largest_rows[_1363] = ((((_1173 & 2147483647) > 2139095040) ? 2147483647 : (_1173 ^ ((_1173 >> 31) & 2147483647))) > (((_1189 & 2147483647) > 2139095040) ? 2147483647 : (_1189 ^ ((_1189 >> 31) & 2147483647)))) ? Largest_rows[_1363] : parts[_504];
        _1363 += 128;
        continue;
    }
    for (int _1364 = _189; _1364 < _185; )
    {
        Total_rows[_1364] = 0.0f;
        _1364 += 128;
        continue;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_222)
    {
        int _552 = -(((-_169_N) + _219) >> 5);
        int _557 = (_215 * 32) + _219;
        parts1[_557] = -0.0f;
        float _1366;
        _1366 = parts1[_557];
        for (int _1365 = 0; _1365 < _552; )
        {
            precise float _596 = _264.Load<float>((((_169_X_offset + ((_177 + _215) * _169_X_stride_0)) + _219) + (_1365 * 32)) * 4 + 0) - Largest_rows[_215];
            float _1213 = (_596 > 89.0f) ? 89.0f : _596;
            float _1217 = (_1213 < (-104.0f)) ? (-104.0f) : _1213;
            precise float _1219 = _1217 * 1.44269502162933349609375f;
            precise float _1220 = _1219 + 12582912.0f;
            precise float _1222 = _1220 - 12582912.0f;
            precise float _1225 = _1222 * 0.693145751953125f;
            precise float _1226 = _1217 - _1225;
            precise float _1228 = _1222 * 1.4286067653301870450377464294434e-06f;
            precise float _1229 = _1226 - _1228;
            precise float _1241 = _1229 * 0.001395060331560671329498291015625f;
            precise float _1242 = _1241 + 0.008368953131139278411865234375f;
            precise float _1245 = _1242 * _1229;
            precise float _1246 = _1245 + 0.0416662059724330902099609375f;
            precise float _1249 = _1246 * _1229;
            precise float _1250 = _1249 + 0.16666518151760101318359375f;
            precise float _1253 = _1250 * _1229;
            precise float _1254 = _1253 + 0.5f;
            precise float _1257 = _1229 * _1229;
            precise float _1259 = _1257 * _1254;
            precise float _1233 = _1229 + _1259;
            precise float _1234 = 1.0f + _1233;
            uint _1266 = asuint(_1220) - 1262485250u;
            uint _1268 = _1266 >> uint(1);
            precise float _1273 = _1234 * asfloat(_1268 << uint(23));
            precise float _1279 = _1273 * asfloat((_1266 - _1268) << uint(23));
            precise float _599 = _1366 + _1279;
            _1366 = _599;
            _1365++;
            continue;
        }
        parts1[_557] = _1366;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_303)
    {
        int _617 = _189 >> 4;
        if (_617 < _185)
        {
            int _629 = (_617 * 32) + (_189 & 15);
            precise float _643 = parts1[_629] + parts1[_629 + 16];
            parts1[_629] = _643;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_344)
    {
        int _654 = _189 >> 3;
        if (_654 < _185)
        {
            int _666 = (_654 * 32) + (_189 & 7);
            precise float _680 = parts1[_666] + parts1[_666 + 8];
            parts1[_666] = _680;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_384)
    {
        int _691 = _189 >> 2;
        if (_691 < _185)
        {
            int _703 = (_691 * 32) + (_189 & 3);
            precise float _717 = parts1[_703] + parts1[_703 + 4];
            parts1[_703] = _717;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_423)
    {
        int _728 = _189 >> 1;
        if (_728 < _185)
        {
            int _740 = (_728 * 32) + (_189 & 1);
            precise float _754 = parts1[_740] + parts1[_740 + 2];
            parts1[_740] = _754;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_462)
    {
        if (_189 < _185)
        {
            int _771 = _189 * 32;
            precise float _784 = parts1[_771] + parts1[_771 + 1];
            parts1[_771] = _784;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    for (int _1367 = _189; _1367 < _185; )
    {
        precise float _805 = Total_rows[_1367] + parts1[_1367 * 32];
        Total_rows[_1367] = _805;
        _1367 += 128;
        continue;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_222)
    {
        int _829 = -(((-_169_N) + _219) >> 5);
        for (int _1368 = 0; _1368 < _829; )
        {
            int _847 = _177 + _215;
            int _854 = _1368 * 32;
            precise float _880 = _264.Load<float>((((_169_X_offset + (_847 * _169_X_stride_0)) + _219) + _854) * 4 + 0) - Largest_rows[_215];
            float _1293 = (_880 > 89.0f) ? 89.0f : _880;
            float _1297 = (_1293 < (-104.0f)) ? (-104.0f) : _1293;
            precise float _1299 = _1297 * 1.44269502162933349609375f;
            precise float _1300 = _1299 + 12582912.0f;
            precise float _1302 = _1300 - 12582912.0f;
            precise float _1305 = _1302 * 0.693145751953125f;
            precise float _1306 = _1297 - _1305;
            precise float _1308 = _1302 * 1.4286067653301870450377464294434e-06f;
            precise float _1309 = _1306 - _1308;
            precise float _1321 = _1309 * 0.001395060331560671329498291015625f;
            precise float _1322 = _1321 + 0.008368953131139278411865234375f;
            precise float _1325 = _1322 * _1309;
            precise float _1326 = _1325 + 0.0416662059724330902099609375f;
            precise float _1329 = _1326 * _1309;
            precise float _1330 = _1329 + 0.16666518151760101318359375f;
            precise float _1333 = _1330 * _1309;
            precise float _1334 = _1333 + 0.5f;
            precise float _1337 = _1309 * _1309;
            precise float _1339 = _1337 * _1334;
            precise float _1313 = _1309 + _1339;
            precise float _1314 = 1.0f + _1313;
            uint _1346 = asuint(_1300) - 1262485250u;
            uint _1348 = _1346 >> uint(1);
            precise float _1353 = _1314 * asfloat(_1348 << uint(23));
            precise float _1359 = _1353 * asfloat((_1346 - _1348) << uint(23));
            precise float _886 = _1359 / Total_rows[_215];
            _842.Store<float>(((_169_Y_offset + (_847 * _169_Y_stride_0)) + ((_219 + _854) * _169_Y_stride_1)) * 4 + 0, _886);
            _1368++;
            continue;
        }
    }
}

[numthreads(32, 4, 1)]
void main(SPIRV_Cross_Input stage_input)
{
    gl_WorkGroupID = stage_input.gl_WorkGroupID;
    gl_LocalInvocationID = stage_input.gl_LocalInvocationID;
    gl_LocalInvocationIndex = stage_input.gl_LocalInvocationIndex;
    comp_main();
}

// softmax_grid
#ifndef SPIRV_CROSS_CONSTANT_ID_0
#define SPIRV_CROSS_CONSTANT_ID_0 128u
#endif
static const uint _174 = SPIRV_CROSS_CONSTANT_ID_0;
static const uint3 gl_WorkGroupSize = uint3(_174, 1u, 1u);

ByteAddressBuffer _207 : register(t0, space0);
RWByteAddressBuffer _283 : register(u1, space0);
cbuffer Push : register(b0, space0)
{
    int _169_M : packoffset(c0);
    int _169_N : packoffset(c0.y);
    int _169_X_offset : packoffset(c0.z);
    int _169_X_stride_0 : packoffset(c0.w);
    int _169_X_stride_1 : packoffset(c1);
    int _169_Y_offset : packoffset(c1.y);
    int _169_Y_stride_0 : packoffset(c1.z);
    int _169_Y_stride_1 : packoffset(c1.w);
    uint _169_base_x : packoffset(c2);
    uint _169_base_y : packoffset(c2.y);
    uint _169_base_z : packoffset(c2.z);
};


static uint3 gl_GlobalInvocationID;
struct SPIRV_Cross_Input
{
    uint3 gl_GlobalInvocationID : SV_DispatchThreadID;
};

void comp_main()
{
    int _180 = int(gl_GlobalInvocationID.x + (_169_base_x * gl_WorkGroupSize.x));
    if (_180 < _169_M)
    {
        float _527;
        _527 = asfloat(0xff800000u /* -inf */);
        for (int _526 = 0; _526 < _169_N; )
        {
            int _222 = (_169_X_offset + (_180 * _169_X_stride_0)) + (_526 * _169_X_stride_1);
            int _339 = asint(_527);
            int _355 = asint(_207.Load<float>(_222 * 4 + 0));
            _527 = ((((_339 & 2147483647) > 2139095040) ? 2147483647 : (_339 ^ ((_339 >> 31) & 2147483647))) > (((_355 & 2147483647) > 2139095040) ? 2147483647 : (_355 ^ ((_355 >> 31) & 2147483647)))) ? _527 : _207.Load<float>(_222 * 4 + 0);
            _526++;
            continue;
        }
        float _529;
        _529 = 0.0f;
        for (int _528 = 0; _528 < _169_N; )
        {
            precise float _263 = _207.Load<float>(((_169_X_offset + (_180 * _169_X_stride_0)) + (_528 * _169_X_stride_1)) * 4 + 0) - _527;
            float _379 = (_263 > 89.0f) ? 89.0f : _263;
            float _383 = (_379 < (-104.0f)) ? (-104.0f) : _379;
            precise float _385 = _383 * 1.44269502162933349609375f;
            precise float _386 = _385 + 12582912.0f;
            precise float _388 = _386 - 12582912.0f;
            precise float _391 = _388 * 0.693145751953125f;
            precise float _392 = _383 - _391;
            precise float _394 = _388 * 1.4286067653301870450377464294434e-06f;
            precise float _395 = _392 - _394;
            precise float _407 = _395 * 0.001395060331560671329498291015625f;
            precise float _408 = _407 + 0.008368953131139278411865234375f;
            precise float _411 = _408 * _395;
            precise float _412 = _411 + 0.0416662059724330902099609375f;
            precise float _415 = _412 * _395;
            precise float _416 = _415 + 0.16666518151760101318359375f;
            precise float _419 = _416 * _395;
            precise float _420 = _419 + 0.5f;
            precise float _423 = _395 * _395;
            precise float _425 = _423 * _420;
            precise float _399 = _395 + _425;
            precise float _400 = 1.0f + _399;
            uint _432 = asuint(_386) - 1262485250u;
            uint _434 = _432 >> uint(1);
            precise float _439 = _400 * asfloat(_434 << uint(23));
            precise float _445 = _439 * asfloat((_432 - _434) << uint(23));
            precise float _266 = _529 + _445;
            _529 = _266;
            _528++;
            continue;
        }
        for (int _530 = 0; _530 < _169_N; )
        {
            precise float _314 = _207.Load<float>(((_169_X_offset + (_180 * _169_X_stride_0)) + (_530 * _169_X_stride_1)) * 4 + 0) - _527;
            float _459 = (_314 > 89.0f) ? 89.0f : _314;
            float _463 = (_459 < (-104.0f)) ? (-104.0f) : _459;
            precise float _465 = _463 * 1.44269502162933349609375f;
            precise float _466 = _465 + 12582912.0f;
            precise float _468 = _466 - 12582912.0f;
            precise float _471 = _468 * 0.693145751953125f;
            precise float _472 = _463 - _471;
            precise float _474 = _468 * 1.4286067653301870450377464294434e-06f;
            precise float _475 = _472 - _474;
            precise float _487 = _475 * 0.001395060331560671329498291015625f;
            precise float _488 = _487 + 0.008368953131139278411865234375f;
            precise float _491 = _488 * _475;
            precise float _492 = _491 + 0.0416662059724330902099609375f;
            precise float _495 = _492 * _475;
            precise float _496 = _495 + 0.16666518151760101318359375f;
            precise float _499 = _496 * _475;
            precise float _500 = _499 + 0.5f;
            precise float _503 = _475 * _475;
            precise float _505 = _503 * _500;
            precise float _479 = _475 + _505;
            precise float _480 = 1.0f + _479;
            uint _512 = asuint(_466) - 1262485250u;
            uint _514 = _512 >> uint(1);
            precise float _519 = _480 * asfloat(_514 << uint(23));
            precise float _525 = _519 * asfloat((_512 - _514) << uint(23));
            precise float _318 = _525 / _529;
            _283.Store<float>(((_169_Y_offset + (_180 * _169_Y_stride_0)) + (_530 * _169_Y_stride_1)) * 4 + 0, _318);
            _530++;
            continue;
        }
    }
}

[numthreads(SPIRV_CROSS_CONSTANT_ID_0, 1, 1)]
void main(SPIRV_Cross_Input stage_input)
{
    gl_GlobalInvocationID = stage_input.gl_GlobalInvocationID;
    comp_main();
}
